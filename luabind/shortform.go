package luabind

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/protocol/nearest"
)

// types are the words of the short form.
var types = []string{"string", "number", "integer", "boolean", "object", "any"}

// maxNesting bounds tables in tables; a table may contain itself.
const maxNesting = 20

// hint is a suggestion for an unknown word.
func hint(want string, have []string) string { return nearest.Hint(want, have) }

// parameter reads one parameter in any form: "string[]?", { "a", "b" }, { name = "string" }, a raw schema, or what param.* made.
func parameter(v lua.LValue, depth int) (*param, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("nested deeper than %d levels", maxNesting)
	}
	switch v := v.(type) {
	case lua.LString:
		return shortForm(string(v))
	case *lua.LUserData:
		if p, ok := v.Value.(*param); ok {
			return p, p.fault
		}
	case *lua.LTable:
		return tableForm(v, depth)
	case *lua.LFunction:
		return nil, errors.New(`want a type such as "string" or param.string("…"), got a function: param.string must be called`)
	}
	return nil, fmt.Errorf(`want a type such as "string" or param.string("…"), got %s%s`, describe(v), paramHint(v))
}

func shortForm(text string) (*param, error) {
	word, optional := strings.CutSuffix(text, "?")
	lists := 0
	for strings.HasSuffix(word, "[]") {
		word = word[:len(word)-2]
		lists++
	}
	if !slices.Contains(types, word) {
		if strings.HasSuffix(word, "?") || strings.HasPrefix(word, "?") {
			return nil, fmt.Errorf(`%s: the question mark stands once, at the end, as in "string[]?"`, quote(text))
		}
		return nil, fmt.Errorf("unknown type %s%s", quote(text), typeHint(word))
	}
	if lists > maxNesting {
		return nil, fmt.Errorf("nested deeper than %d levels", maxNesting)
	}
	var w writer
	w.typed(word)
	schema := w.end()
	for range lists {
		var list writer
		list.typed("array")
		list.both("items", schema)
		schema = list.end()
	}
	return &param{schema: schema, optional: optional}, nil
}

// tableForm tells the three meanings of a table apart: a list is an enum, one with type = "…" is raw JSON Schema, any other is a
// nested object.
func tableForm(t *lua.LTable, depth int) (*param, error) {
	var w writer
	if t.Len() > 0 {
		if err := w.enum(t); err != nil {
			return nil, err
		}
		return &param{schema: w.end()}, nil
	}
	if k, _ := t.Next(lua.LNil); k == lua.LNil {
		return nil, errors.New(`an empty table says nothing: write "object" for an object of any kind`)
	}
	switch raw, err := isRaw(t); {
	case err != nil:
		return nil, err
	case raw:
		text, err := rawTable(t, "schema")
		return &param{schema: pair{text, text}}, err
	}
	w.typed("object")
	if err := w.properties(t, depth, false, false); err != nil {
		return nil, err
	}
	return &param{schema: w.end()}, nil
}

// propertyError is a fault of one parameter, which may lie inside others.
type propertyError struct {
	path []string // outermost first
	err  error
}

func (e *propertyError) Error() string {
	last := len(e.path) - 1
	text := "property '" + e.path[last] + "'"
	if last > 0 {
		text += " of " + strings.Join(e.path[:last], ".")
	}
	return text + ": " + e.err.Error()
}

func (e *propertyError) Unwrap() error { return e.err }

func inProperty(name string, err error) error {
	if inner, ok := errors.AsType[*propertyError](err); ok && error(inner) == err {
		return &propertyError{append([]string{name}, inner.path...), inner.err}
	}
	return &propertyError{[]string{name}, err}
}
