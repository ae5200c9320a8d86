package luabind

import (
	"errors"
	"fmt"
	"math"
	"slices"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/protocol"
)

// param is one parameter, or the element of a list or map.
type param struct {
	schema   pair
	optional bool // may be missing: written so, or with a default

	// What input and output look at when the whole of them is one param.object or param.json.
	raw, object, open bool
	description       string
	fields            *lua.LTable // of param.object; nil for any

	fault error // what is wrong with it; the tool that uses it reports that
}

var paramMetatable = opaque("param")

// paramFuncs is the library param. In a lean state its functions answer true: nobody looks at declarations there.
var paramFuncs = map[string]lua.LGFunction{
	"string": builder("string", 2, stringOptions), "number": builder("number", 2, numberOptions), "integer": builder("integer", 2, numberOptions),
	"boolean": builder("boolean", 2, commonOptions), "any": builder("any", 2, commonOptions), "map": builder("map", 2, mapOptions),
	"array": builder("array", 2, arrayOptions), "enum": builder("enum", 3, commonOptions), "object": builder("object", 3, objectOptions),
	"json": jsonParam,
}

// The options of each kind, beside those of all.
var (
	commonOptions = []string{"default", "optional", "examples"}
	stringOptions = append([]string{"min", "max", "match", "format"}, commonOptions...)
	numberOptions = append([]string{"min", "max", "above", "below", "step"}, commonOptions...)
	arrayOptions  = append([]string{"of", "min", "max", "unique"}, commonOptions...)
	mapOptions    = append([]string{"of", "min", "max"}, commonOptions...)
	objectOptions = append([]string{"open"}, commonOptions...)
)

// builder makes param.<kind>(description, …, options). The options are argument at; an enum's values and an object's fields stand before.
func builder(kind string, at int, allowed []string) lua.LGFunction {
	fn := "param." + kind
	return func(L *lua.LState) int {
		if lean(L) {
			L.Push(lua.LTrue)
			return 1
		}
		p, err := build(kind, L.Get(1), L.Get(2), L.Get(at), allowed)
		if err != nil {
			p = &param{fault: within(fn, err)}
		}
		L.Push(wrap(p, paramMetatable))
		return 1
	}
}

// build makes what a builder returns of its arguments.
func build(kind string, first, second, more lua.LValue, allowed []string) (*param, error) {
	description := ""
	switch v := first.(type) {
	case lua.LString:
		description = string(v)
	case *lua.LNilType:
	default:
		return nil, errors.New("want a description first, got " + got(v))
	}
	var o options
	if more != lua.LNil {
		t, ok := more.(*lua.LTable)
		if !ok {
			return nil, errors.New("options: want a table of options, got " + got(more))
		}
		o.t = t
		var unknown []error
		for _, complaint := range unknownKeys(t, "option", allowed) {
			unknown = append(unknown, errors.New(complaint))
		}
		if len(unknown) > 0 {
			return nil, errors.Join(unknown...)
		}
	}
	return o.param(kind, description, second)
}

// lean reports whether the state only needs a file's functions.
func lean(L *lua.LState) bool {
	c := sandbox.CallOf(L)
	return c != nil && c.Mode == sandbox.Lean
}

// param.json(text[, { optional = true }]) takes a JSON Schema as it is.
func jsonParam(L *lua.LState) int {
	const fn = "param.json"
	if lean(L) {
		L.Push(lua.LTrue)
		return 1
	}
	text, ok := L.Get(1).(lua.LString)
	if !ok {
		raise(L, fn+": want JSON Schema as a string, got "+got(L.Get(1)))
	}
	raw, err := rawText(string(text))
	if err != nil {
		raise(L, fn+": "+err.Error())
	}
	p := &param{schema: pair{raw, raw}, raw: true}
	o := options{t: optionsArg(L, fn, 2, "optional")}
	if p.optional, err = o.flag("optional"); err != nil {
		raise(L, fn+": "+err.Error())
	}
	L.Push(wrap(p, paramMetatable))
	return 1
}

// options is the table of a parameter's options; nil when there is none.
type options struct{ t *lua.LTable }

func (o options) get(name string) lua.LValue {
	if o.t == nil {
		return lua.LNil
	}
	return o.t.RawGetString(name)
}

func (o options) flag(name string) (bool, error) {
	switch v := o.get(name).(type) {
	case *lua.LNilType:
		return false, nil
	case lua.LBool:
		return bool(v), nil
	default:
		return false, fmt.Errorf("%s: want true or false, got %s", name, describe(v))
	}
}

// number reads an option that is a number from least on, whole when it must be.
func (o options) number(name string, least float64, whole bool) (f float64, given bool, err error) {
	v := o.get(name)
	if v == lua.LNil {
		return 0, false, nil
	}
	n, ok := v.(lua.LNumber)
	f = float64(n)
	what := "a number"
	if whole {
		what = "a whole number"
	}
	if !ok || math.IsNaN(f) || math.IsInf(f, 0) || whole && f != math.Trunc(f) {
		return 0, false, fmt.Errorf("%s: want %s, got %s", name, what, describe(v))
	}
	if f < least {
		return 0, false, fmt.Errorf("%s: want %s from %g on, got %s", name, what, least, n)
	}
	return f, true, nil
}

// param writes the schema of one parameter of the long form. second is the argument behind the description.
func (o options) param(kind, description string, second lua.LValue) (*param, error) {
	var w writer
	p := &param{object: kind == "object", description: description}
	p.fields, _ = second.(*lua.LTable)
	p.open = p.object && (p.fields == nil || o.get("open") == lua.LTrue)
	var err error
	if kind == "enum" {
		err = w.enum(second)
	} else {
		w.typed(kind)
	}
	if description != "" {
		w.text("description", description)
	}
	if err == nil {
		err = o.keywords(&w, kind, second)
	}
	if err != nil {
		return nil, err
	}
	if p.optional, err = o.flag("optional"); err != nil {
		return nil, err
	}
	if err = o.values(&w, p); err != nil {
		return nil, err
	}
	p.schema = w.end()
	return p, nil
}

// keywords writes what only some kinds have.
func (o options) keywords(w *writer, kind string, second lua.LValue) error {
	switch kind {
	case "string":
		return errors.Join(o.sizes(w, "minLength", "maxLength"), o.match(w), o.format(w))
	case "number", "integer":
		return o.bounds(w, kind == "integer")
	case "array":
		if err := o.element(w, "items", false); err != nil {
			return err
		}
		unique, err := o.flag("unique")
		if unique {
			w.raw("uniqueItems", []byte("true"))
		}
		return errors.Join(err, o.sizes(w, "minItems", "maxItems"))
	case "map":
		return errors.Join(o.element(w, "additionalProperties", true), o.sizes(w, "minProperties", "maxProperties"))
	case "object":
		return o.object(w, second)
	}
	return nil
}

// sizes writes min and max of a length.
func (o options) sizes(w *writer, low, high string) error {
	least, hasLeast, err := o.number("min", 0, true)
	if err != nil {
		return err
	}
	most, hasMost, err := o.number("max", 0, true)
	if err != nil {
		return err
	}
	if hasLeast && hasMost && least > most {
		return fmt.Errorf("min %g is above max %g", least, most)
	}
	if hasLeast {
		w.number(low, least)
	}
	if hasMost {
		w.number(high, most)
	}
	return nil
}

// bounds writes what limits a number.
func (o options) bounds(w *writer, whole bool) error {
	low, high := math.Inf(-1), math.Inf(1)
	for _, b := range []struct {
		name, keyword string
		limit         *float64
	}{{"min", "minimum", &low}, {"above", "exclusiveMinimum", &low}, {"max", "maximum", &high}, {"below", "exclusiveMaximum", &high}} {
		f, given, err := o.number(b.name, math.Inf(-1), whole)
		if err != nil {
			return err
		}
		if given {
			*b.limit = f
			w.number(b.keyword, f)
		}
	}
	if low > high {
		return fmt.Errorf("no number is from %g on and up to %g", low, high)
	}
	step, given, err := o.number("step", math.Inf(-1), whole)
	if err != nil {
		return err
	}
	if given {
		if step <= 0 {
			return fmt.Errorf("step: want a number above 0, got %g", step)
		}
		w.number("multipleOf", step)
	}
	return nil
}

// element writes what of says of the elements of a list or map. Without of they may be anything, which a list need not say.
func (o options) element(w *writer, keyword string, always bool) error {
	of := o.get("of")
	if of == lua.LNil {
		if !always {
			return nil
		}
		of = lua.LString("any")
	}
	p, err := parameter(of, 0)
	if err != nil {
		return within("of", err)
	}
	if p.optional {
		return errors.New("of: an element cannot be optional: leave the question mark, optional and default out")
	}
	w.both(keyword, p.schema)
	return nil
}

// object writes the fields of param.object. Without fields, and with open, other members are taken too.
func (o options) object(w *writer, fields lua.LValue) error {
	open, err := o.flag("open")
	if err != nil || fields == lua.LNil {
		return err
	}
	t, ok := fields.(*lua.LTable)
	if !ok {
		return fmt.Errorf("fields: want a table of fields, got %s", describe(fields))
	}
	return w.properties(t, 0, open, false)
}

// values writes default and examples, and checks that they fit what was declared so far.
func (o options) values(w *writer, p *param) error {
	var values [][]byte
	gate := w.gateSoFar()
	shape := luajson.CompileShape(gate)
	if v := o.get("default"); v != lua.LNil {
		text, err := luajson.Append(nil, v, luajson.EncodeOptions{Name: "default", Shape: shape})
		if err != nil {
			return err
		}
		if err := fits(gate, text); err != nil {
			return fmt.Errorf("default: %w", err)
		}
		p.optional = true
		w.raw("default", text)
	}
	v := o.get("examples")
	if v == lua.LNil {
		return nil
	}
	list, ok := v.(*lua.LTable)
	if !ok || list.Len() == 0 {
		return fmt.Errorf("examples: want a list of values, got %s", describe(v))
	}
	for i := 1; i <= list.Len(); i++ {
		text, err := luajson.Append(nil, list.RawGetInt(i), luajson.EncodeOptions{Name: fmt.Sprintf("examples[%d]", i), Shape: shape})
		if err != nil {
			return err
		}
		if err := fits(gate, text); err != nil {
			return fmt.Errorf("examples[%d]: %w", i, err)
		}
		values = append(values, text)
	}
	w.raw("examples", join(values))
	return nil
}

func (o options) format(w *writer) error {
	switch v := o.get("format").(type) {
	case *lua.LNilType:
	case lua.LString:
		if !slices.Contains(formats, string(v)) {
			return fmt.Errorf("format: unknown format %s%s", quote(string(v)), hint(string(v), formats))
		}
		w.text("format", string(v))
	default:
		return fmt.Errorf("format: want a string, got %s", describe(v))
	}
	return nil
}

// formats are those of JSON Schema that are checked, and path, which is ours: a path below the root of the files.
var formats = []string{"uuid", "uri", "email", "date", "date-time", "path", "time", "duration", "hostname", "ipv4", "ipv6", "uri-reference", "json-pointer"}

func appendString(dst []byte, s string) []byte { return protocol.AppendString(dst, s) }
