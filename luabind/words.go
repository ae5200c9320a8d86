package luabind

import (
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/protocol/nearest"
)

// What other languages and libraries call things, with our word for each. A misspelt word is found by its distance; these are
// far from ours.

// otherTypes are the types; the value is what to write.
var otherTypes = map[string]string{
	"int": `"integer"`, "long": `"integer"`, "int32": `"integer"`, "int64": `"integer"`, "uint": `"integer"`,
	"bool": `"boolean"`, "str": `"string"`, "text": `"string"`, "char": `"string"`,
	"float": `"number"`, "double": `"number"`, "num": `"number"`, "decimal": `"number"`,
	"list": `"string[]" or another type with []`, "array": `"string[]" or another type with []`, "tuple": `"any[]"`, "set": `"string[]"`,
	"table": `"object", or "string[]" for a list`, "dict": `"object", or param.map("…", { of = "string" })`,
	"map": `"object", or param.map("…", { of = "string" })`, "hash": `"object"`, "struct": `"object"`, "record": `"object"`,
	"enum": `the values, as in { "a", "b" }`, "unknown": `"any"`, "mixed": `"any"`,
	"date": `param.string("…", { format = "date" })`, "uuid": `param.string("…", { format = "uuid" })`, "url": `param.string("…", { format = "uri" })`,
	"uri": `param.string("…", { format = "uri" })`, "email": `param.string("…", { format = "email" })`, "path": `param.string("…", { format = "path" })`,
}

// typeHint says what an unknown type may have meant, and which there are.
func typeHint(word string) string {
	base := strings.TrimRight(word, "[]?")
	near := hint(base, types)
	if write := otherTypes[strings.ToLower(base)]; near == "" && write != "" {
		near = " (write " + write + ")"
	}
	return near + ": the types are " + strings.Join(types, ", ") + `, a list is "string[]", and ? at the end makes it optional`
}

// otherOptions are the options of parameters, most of them keywords of JSON Schema. The first of the names that a builder has is meant.
var otherOptions = map[string][]string{
	"pattern": {"match"}, "regex": {"match"}, "regexp": {"match"}, "items": {"of"}, "item": {"of"}, "type": {"of"}, "element": {"of"}, "elements": {"of"},
	"values": {"of"}, "additionalProperties": {"of", "open"}, "extra": {"open"},
	"minimum": {"min"}, "minLength": {"min"}, "minItems": {"min"}, "minProperties": {"min"}, "min_length": {"min"}, "min_items": {"min"},
	"maximum": {"max"}, "maxLength": {"max"}, "maxItems": {"max"}, "maxProperties": {"max"}, "max_length": {"max"}, "max_items": {"max"},
	"exclusiveMinimum": {"above"}, "exclusiveMaximum": {"below"}, "gt": {"above"}, "lt": {"below"}, "gte": {"min"}, "lte": {"max"},
	"multipleOf": {"step"}, "uniqueItems": {"unique"}, "required": {"optional"}, "nullable": {"optional"}, "example": {"examples"},
}

// otherFields are the fields of tool{}.
var otherFields = map[string][]string{
	"inputSchema": {"input"}, "input_schema": {"input"}, "parameters": {"input"}, "params": {"input"}, "param": {"input"}, "args": {"input"},
	"arguments": {"input"}, "schema": {"input"}, "properties": {"input"}, "inputs": {"input"},
	"outputSchema": {"output"}, "output_schema": {"output"}, "returns": {"output"}, "outputs": {"output"},
	"handler": {"run"}, "execute": {"run"}, "exec": {"run"}, "fn": {"run"}, "func": {"run"}, "callback": {"run"}, "call": {"run"}, "main": {"run"},
	"invoke": {"run"}, "implementation": {"run"}, "action": {"run"},
	"readOnly": {"read_only"}, "readOnlyHint": {"read_only"}, "readonly": {"read_only"}, "destructiveHint": {"destructive"},
	"idempotentHint": {"idempotent"}, "openWorldHint": {"open_world"}, "openWorld": {"open_world"},
	"desc": {"description"}, "summary": {"description"}, "help": {"description"}, "doc": {"description"}, "label": {"title"}, "id": {"name"},
	"alwaysLoad": {"always_load"}, "maxResult": {"max_result"}, "timeoutMs": {"timeout"}, "timeout_ms": {"timeout"}, "rateLimit": {"rate"},
	"rate_limit": {"rate"}, "_meta": {"meta"}, "metadata": {"meta"}, "rights": {"permissions"}, "capabilities": {"permissions"},
}

// otherBuilders are the functions of param.
var otherBuilders = map[string]string{
	"list": "param.array", "table": "param.object or param.array", "int": "param.integer", "long": "param.integer", "bool": "param.boolean",
	"str": "param.string", "text": "param.string", "float": "param.number", "double": "param.number", "num": "param.number",
	"dict": "param.map", "hash": "param.map", "record": "param.map", "struct": "param.object", "choice": "param.enum", "oneOf": "param.enum",
	"one_of": "param.enum", "literal": "param.enum", "schema": "param.json", "raw": "param.json",
}

// maxFaults is how many faults of one kind are told of one table.
const maxFaults = 20

// unknownKeys returns a complaint about each key of t that is not in allowed, or the first of very many.
func unknownKeys(t *lua.LTable, what string, allowed []string) (complaints []string) {
	for k, _ := t.Next(lua.LNil); k != lua.LNil && len(complaints) < maxFaults; k, _ = t.Next(k) {
		if name, ok := k.(lua.LString); !ok || !slices.Contains(allowed, string(name)) {
			complaints = append(complaints, "unknown "+what+" "+keyText(k)+keyHint(string(name), allowed))
		}
	}
	return complaints
}

// unknownKey returns the first complaint of unknownKeys, or "".
func unknownKey(t *lua.LTable, what string, allowed []string) string {
	if all := unknownKeys(t, what, allowed); len(all) > 0 {
		return all[0]
	}
	return ""
}

// keyHint says what an unknown key may have meant: the nearest name, what other libraries call so, or all there are.
func keyHint(name string, allowed []string) string {
	for _, others := range []map[string][]string{otherFields, otherOptions} {
		for _, ours := range others[name] {
			if slices.Contains(allowed, ours) {
				return " (did you mean '" + ours + "'?)" + listed(allowed)
			}
		}
	}
	return nearest.Hint(name, allowed) + listed(allowed)
}

// listed names what there is.
func listed(names []string) string { return ": there are " + strings.Join(names, ", ") }

// paramHint says how the library param is used, when v is it.
func paramHint(v lua.LValue) string {
	if name, ok := sandbox.LibraryName(v); ok && name == "param" {
		return `; call one of its functions, such as param.string("…")`
	}
	return ""
}
