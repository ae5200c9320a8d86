package luabind

import (
	"bytes"
	"errors"
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
)

// rootSchema writes the schema of a whole input or output, which is always an object. nil has no members.
func rootSchema(v lua.LValue) (pair, error) {
	switch v := v.(type) {
	case *lua.LNilType:
		return objectSchema(maker.CreateTable(0, 0), "", false)
	case *lua.LUserData:
		if p, ok := v.Value.(*param); ok {
			return p.root()
		}
	case *lua.LTable:
		raw, err := isRawRoot(v)
		if err != nil {
			return pair{}, err
		}
		if raw {
			return rawRoot(v)
		}
		return objectSchema(v, "", false)
	case lua.LString:
		return pair{}, fmt.Errorf("want a table of parameters, as in { name = %s }, got the string alone", quote(string(v)))
	}
	return pair{}, fmt.Errorf(`want a table of parameters, as in { name = "string" }, got %s%s`, describe(v), paramHint(v))
}

// objectSchema writes type, properties and required, in the order in which most examples have them.
func objectSchema(fields *lua.LTable, description string, open bool) (pair, error) {
	var w writer
	w.typed("object")
	if description != "" {
		w.text("description", description)
	}
	if err := w.properties(fields, 0, open, true); err != nil {
		return pair{}, err
	}
	return w.end(), nil
}

// root is p as the whole of input or output.
func (p *param) root() (pair, error) {
	switch {
	case p.fault != nil:
		return pair{}, p.fault
	case p.optional:
		return pair{}, errors.New("the whole cannot be optional or have a default")
	case p.raw:
		v, err := luajson.Decode(p.schema.shown, luajson.DecodeOptions{})
		if err != nil {
			return pair{}, err
		}
		if v.(*lua.LTable).RawGetString("type") != lua.LString("object") {
			return pair{}, errors.New(`want JSON Schema of an object, with "type": "object" at the top`)
		}
		return p.schema, nil
	case !p.object:
		return pair{}, errors.New("want a table of parameters or param.object, got another param: give it a name")
	case p.fields == nil:
		return objectSchema(maker.CreateTable(0, 0), p.description, true)
	}
	return objectSchema(p.fields, p.description, p.open)
}

// rawRoot encodes a raw schema that is the whole, with the list required that clients expect.
func rawRoot(t *lua.LTable) (pair, error) {
	text, err := rawTable(t, "schema")
	if err != nil {
		return pair{}, err
	}
	if t.RawGetString("required") == lua.LNil {
		text = append(bytes.TrimSuffix(text, []byte("}")), `,"required":[]}`...)
	}
	return pair{text, text}, nil
}
