package luabind

import (
	"errors"
	"fmt"
	"regexp"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
	"github.com/luatools/luatools/protocol/schema"
)

// pair is one schema in two readings: what clients are shown, and what the gate judges by. The gate's refuses members that are not
// declared, and knows patterns that other engines cannot read.
type pair struct{ shown, gate []byte }

// writer writes the keywords of one schema object.
type writer struct{ pair }

func (w *writer) key(name string) {
	for _, b := range []*[]byte{&w.shown, &w.gate} {
		sep := byte(',')
		if len(*b) == 0 {
			sep = '{'
		}
		*b = append(appendString(append(*b, sep), name), ':')
	}
}

func (w *writer) both(name string, value pair) {
	w.key(name)
	w.shown, w.gate = append(w.shown, value.shown...), append(w.gate, value.gate...)
}

func (w *writer) raw(name string, value []byte) { w.both(name, pair{value, value}) }
func (w *writer) text(name, value string)       { w.raw(name, appendString(nil, valid(value))) }
func (w *writer) number(name string, value float64) {
	w.raw(name, luajson.AppendNumber(nil, value))
}

// gateOnly writes a keyword that clients are not shown.
func (w *writer) gateOnly(name string, value []byte) {
	shown := w.shown
	w.raw(name, value)
	w.shown = shown
}

// gateSoFar is the gate's schema as written up to now.
func (w *writer) gateSoFar() []byte { return append(slices.Clone(w.gate), '}') }

func (w *writer) end() pair {
	return pair{append(w.shown, '}'), append(w.gate, '}')}
}

// anyType is the list of all types: with it, models and clients that want a type on each property find one.
const anyType = `["string","number","boolean","object","array","null"]`

// typed writes the type of a kind.
func (w *writer) typed(kind string) {
	switch kind {
	case "any":
		w.raw("type", []byte(anyType))
	case "map":
		w.text("type", "object")
	default:
		w.text("type", kind)
	}
}

// maxEnum is how many values an enum may have; the model reads each of them with every request.
const maxEnum = 1000

// enum writes the values of an enum and their type.
func (w *writer) enum(v lua.LValue) error {
	t, ok := v.(*lua.LTable)
	if !ok || t.Len() == 0 {
		return fmt.Errorf("want a list of values, got %s", describe(v))
	}
	if t.Len() > maxEnum {
		return fmt.Errorf("an enum takes at most %d values, got %d: take a string and check it in run", maxEnum, t.Len())
	}
	if k, _ := t.Next(lua.LNumber(t.Len())); k != lua.LNil {
		return fmt.Errorf("the list of values has also the key %s: write nested objects without list elements", keyText(k))
	}
	var values, kinds [][]byte
	for i := 1; i <= t.Len(); i++ {
		v := t.RawGetInt(i)
		kind := ""
		switch v.(type) {
		case lua.LString:
			kind = `"string"`
		case lua.LNumber:
			kind = `"number"`
		case lua.LBool:
			kind = `"boolean"`
		default:
			return fmt.Errorf("value %d of the enum: want a string, number or boolean, got %s", i, got(v))
		}
		text, err := luajson.Append(nil, v, luajson.EncodeOptions{Name: fmt.Sprintf("value %d of the enum", i)})
		if err != nil {
			return err
		}
		if containsBytes(values, text) {
			return fmt.Errorf("value %d of the enum stands twice: %s", i, describe(v))
		}
		values = append(values, text)
		if !containsBytes(kinds, []byte(kind)) {
			kinds = append(kinds, []byte(kind))
		}
	}
	if len(kinds) == 1 {
		w.raw("type", kinds[0])
	} else {
		w.raw("type", join(kinds))
	}
	w.raw("enum", join(values))
	return nil
}

// properties writes the members of an object in the order of the table. closed objects say so to the gate alone.
func (w *writer) properties(t *lua.LTable, depth int, open, root bool) error {
	var inner writer
	var required [][]byte
	var faults []error
	for k, v := t.Next(lua.LNil); k != lua.LNil && len(faults) < maxFaults; k, v = t.Next(k) {
		name, ok := k.(lua.LString)
		if !ok {
			faults = append(faults, fmt.Errorf("want names and types, as in { name = \"string\" }, got an element without a name: %s", describe(v)))
			continue
		}
		if !isPropertyName(string(name)) {
			faults = append(faults, fmt.Errorf("property %s: a name has 1 to 64 of the letters a-z A-Z 0-9 _ . -, else the API refuses the tool", keyText(name)))
			continue
		}
		p, err := parameter(v, depth+1)
		if err != nil {
			for _, err := range each(err) {
				faults = append(faults, inProperty(string(name), err))
			}
			continue
		}
		inner.both(string(name), p.schema)
		if !p.optional {
			required = append(required, appendString(nil, string(name)))
		}
	}
	if len(faults) > 0 {
		return errors.Join(faults...)
	}
	members := pair{[]byte("{}"), []byte("{}")}
	if len(inner.shown) > 0 {
		members = inner.end()
	}
	w.both("properties", members)
	if root || len(required) > 0 {
		w.raw("required", join(required))
	}
	if open {
		w.raw("additionalProperties", []byte("true"))
	} else {
		w.gateOnly("additionalProperties", []byte("false"))
	}
	return nil
}

// isPropertyName reports whether the Messages API takes name for a property.
func isPropertyName(name string) bool {
	for _, c := range []byte(name) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' || c == '-') {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// match writes a regular expression: to the gate as it is, to clients only when theirs reads it too.
func (o options) match(w *writer) error {
	switch v := o.get("match").(type) {
	case *lua.LNilType:
	case lua.LString:
		if _, err := regexp.Compile(string(v)); err != nil {
			return fmt.Errorf("match: %w", err)
		}
		text := appendString(nil, string(v))
		if isECMA(string(v)) {
			w.raw("pattern", text)
		} else {
			w.gateOnly("pattern", text)
		}
	default:
		return fmt.Errorf("match: want a regular expression as a string, got %s", describe(v))
	}
	return nil
}

// fits checks a value against the schema of its own parameter.
func fits(gate, value []byte) error {
	s, err := schema.Compile(slices.Concat([]byte(`{"type":"object","properties":{"value":`), gate, []byte(`}}`)))
	if err != nil {
		return err
	}
	err = s.Validate(slices.Concat([]byte(`{"value":`), value, []byte(`}`)))
	if v, ok := errors.AsType[*schema.ViolationsError](err); ok && len(v.Violations) > 0 {
		return errors.New(v.Violations[0].Message)
	}
	return err
}

func join(values [][]byte) []byte {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, v...)
	}
	return append(out, ']')
}

func containsBytes(list [][]byte, b []byte) bool {
	return slices.ContainsFunc(list, func(x []byte) bool { return string(x) == string(b) })
}
