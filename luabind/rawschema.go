package luabind

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
)

// rawText checks that text is one JSON object and returns it as it came, without space around it. A message is one line, so line
// breaks between its tokens cannot stay: then all space between tokens goes.
func rawText(text string) ([]byte, error) {
	raw := bytes.TrimSpace([]byte(text))
	v, err := luajson.Decode(raw, luajson.DecodeOptions{Limits: luajson.Limits{Bytes: 1 << 20, Nodes: 50_000}})
	if err != nil {
		return nil, err
	}
	if _, ok := v.(*lua.LTable); !ok || raw[0] != '{' {
		return nil, fmt.Errorf("want a JSON object, got %s", quote(text))
	}
	if bytes.ContainsAny(raw, "\r\n") {
		var one bytes.Buffer
		if err := json.Compact(&one, raw); err != nil {
			return nil, err
		}
		raw = one.Bytes()
	}
	return raw, nil
}

// jsonTypes are the types of JSON Schema.
var jsonTypes = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

// keywords are those of JSON Schema with what their values must look like here.
var keywords = map[string]string{
	"type": "", "enum": "list", "const": "", "default": "", "examples": "list", "title": "text", "description": "text", "$comment": "text",
	"format": "text", "pattern": "text", "contentEncoding": "text", "contentMediaType": "text",
	"minLength": "number", "maxLength": "number", "minimum": "number", "maximum": "number", "exclusiveMinimum": "number", "exclusiveMaximum": "number",
	"multipleOf": "number", "minItems": "number", "maxItems": "number", "minProperties": "number", "maxProperties": "number",
	"minContains": "number", "maxContains": "number", "uniqueItems": "flag", "deprecated": "flag", "readOnly": "flag", "writeOnly": "flag",
	"properties": "table", "patternProperties": "table", "$defs": "table", "definitions": "table", "dependentSchemas": "table", "dependentRequired": "table",
	"required": "list", "prefixItems": "list", "allOf": "list", "anyOf": "list", "oneOf": "list",
	"items": "schema", "contains": "schema", "additionalProperties": "schema", "unevaluatedProperties": "schema", "unevaluatedItems": "schema",
	"propertyNames": "schema", "not": "schema", "if": "schema", "then": "schema", "else": "schema", "$ref": "text",
}

// isRaw reports whether a table is JSON Schema: its type is one of JSON's, and all else are keywords with fitting values. A table
// that could also be an object with a field called type is an error.
func isRaw(t *lua.LTable) (bool, error) {
	if !isTypeName(t.RawGetString("type")) {
		return false, nil
	}
	for k, v := t.Next(lua.LNil); k != lua.LNil; k, v = t.Next(k) {
		name, _ := k.(lua.LString)
		want, known := keywords[string(name)]
		if !known || !plausible(want, v) {
			return false, fmt.Errorf(`a table with type = %s is read as JSON Schema, but %s does not belong there: for an object with a field called type, write type = param.string("…")`,
				describe(t.RawGetString("type")), keyText(k))
		}
	}
	return true, nil
}

// isTypeName reports whether v is a type of JSON Schema, or a list of them.
func isTypeName(v lua.LValue) bool {
	if list, ok := v.(*lua.LTable); ok && list.Len() > 0 {
		for i := 1; i <= list.Len(); i++ {
			if s, ok := list.RawGetInt(i).(lua.LString); !ok || !slices.Contains(jsonTypes, string(s)) {
				return false
			}
		}
		return true
	}
	s, ok := v.(lua.LString)
	return ok && slices.Contains(jsonTypes, string(s))
}

func plausible(want string, v lua.LValue) bool {
	switch want {
	case "text": // title = "string" is more likely a field called title
		s, ok := v.(lua.LString)
		_, err := shortForm(string(s))
		return ok && err != nil
	case "number":
		return v.Type() == lua.LTNumber
	case "flag":
		return v.Type() == lua.LTBool
	case "list", "table":
		return v.Type() == lua.LTTable
	case "schema":
		return v.Type() == lua.LTTable || v.Type() == lua.LTBool
	}
	return true
}

// isRawRoot reports whether the whole of input or output is a raw schema: type = "object" and a table properties.
func isRawRoot(t *lua.LTable) (bool, error) {
	if t.RawGetString("type") != lua.LString("object") {
		return false, nil
	}
	properties := t.RawGetString("properties")
	if properties.Type() == lua.LTTable {
		return true, nil
	}
	for k, _ := t.Next(lua.LNil); k != lua.LNil; k, _ = t.Next(k) {
		name, _ := k.(lua.LString)
		if _, known := keywords[string(name)]; !known {
			return false, nil
		}
	}
	return false, errors.New(`type = "object" without a table properties may be JSON Schema or a parameter called type: ` +
		`add properties = {} for the one, write type = param.object("…") for the other`)
}

// rawTable encodes a schema that is written as a Lua table.
func rawTable(t *lua.LTable, name string) ([]byte, error) {
	if err := wellFormed(t, name, 0); err != nil {
		return nil, err
	}
	return luajson.Append(nil, t, luajson.EncodeOptions{Name: name, Shape: schemaShape, Limits: luajson.Limits{Bytes: 1 << 20, Nodes: 50_000}})
}

// wellFormed refuses the short form inside a raw schema, where it would be no schema at all.
func wellFormed(t *lua.LTable, path string, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("%s: nested deeper than %d levels", path, maxNesting)
	}
	for _, keyword := range []string{"properties", "patternProperties", "$defs", "definitions"} {
		members, ok := t.RawGetString(keyword).(*lua.LTable)
		if !ok {
			continue
		}
		for k, v := members.Next(lua.LNil); k != lua.LNil; k, v = members.Next(k) {
			switch v := v.(type) {
			case *lua.LTable:
				if err := wellFormed(v, path+"."+keyword+"."+cut(k.String()), depth+1); err != nil {
					return err
				}
			case lua.LBool:
			default:
				return inProperty(cut(k.String()), fmt.Errorf(`in JSON Schema want a table such as { type = "string" }, got %s`, describe(v)))
			}
		}
	}
	return nil
}

// schemaShape says where a JSON Schema that is written in Lua has objects, for its empty tables.
var schemaShape = makeSchemaShape()

func makeSchemaShape() *luajson.Shape {
	schema := &luajson.Shape{Kind: luajson.ObjectKind, Members: map[string]*luajson.Shape{}}
	schemas := &luajson.Shape{Kind: luajson.ObjectKind, Rest: schema}
	list := &luajson.Shape{Kind: luajson.ListKind, Items: schema}
	for name, kind := range keywords {
		switch {
		case kind == "table":
			schema.Members[name] = schemas
		case kind == "schema":
			schema.Members[name] = schema
		case strings.HasSuffix(name, "Of"), name == "prefixItems":
			schema.Members[name] = list
		}
	}
	return schema
}
