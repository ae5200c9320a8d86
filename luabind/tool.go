package luabind

import (
	"errors"
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
)

// toolFunc is tool{…} and tool(name, description, input, run[, fields]).
func toolFunc(L *lua.LState) int {
	if lean(L) {
		return leanTool(L)
	}
	def := &Definition{AlwaysLoad: true, Line: callerLine(L)}
	fields, err := toolFields(L)
	name, _ := fields.name()
	if err != nil {
		raise(L, toolPrefix(name)+err.Error())
	}
	t := &toolValue{def: def}
	for i, err := range def.fill(fields) {
		if i == maxFaults {
			break
		}
		t.faults = append(t.faults, Fault{def.Line, toolPrefix(name) + err.Error()})
	}
	t.run, t.confirm, t.enabled = def.Run, def.ConfirmFunc, def.EnabledFunc
	L.Push(wrap(t, toolMetatable))
	return 1
}

// leanTool keeps the functions alone. The declarations were left out of the file, or are not worth a look.
func leanTool(L *lua.LState) int {
	t := &toolValue{}
	fields, _ := L.Get(1).(*lua.LTable)
	if fields != nil {
		t.run, _ = fields.RawGetString("run").(*lua.LFunction)
	} else {
		t.run, _ = L.Get(4).(*lua.LFunction)
		fields, _ = L.Get(5).(*lua.LTable)
	}
	if t.run == nil {
		raise(L, "tool: field 'run': want a function: it was one when the file was loaded")
	}
	if fields != nil {
		t.confirm, _ = fields.RawGetString("confirm").(*lua.LFunction)
		t.enabled, _ = fields.RawGetString("enabled").(*lua.LFunction)
	}
	L.Push(wrap(t, toolMetatable))
	return 1
}

func toolPrefix(name string) string {
	if name == "" {
		return "tool: "
	}
	return "tool " + quote(name) + ": "
}

// callerLine is the line of the Lua code that called the running Go function.
func callerLine(L *lua.LState) int {
	dbg, ok := L.GetStack(1)
	if !ok {
		return 0
	}
	if _, err := L.GetInfo("l", dbg, lua.LNil); err != nil {
		return 0
	}
	return max(dbg.CurrentLine, 0)
}

// declared is the table of a tool's fields.
type declared struct{ t *lua.LTable }

func (d declared) name() (string, bool) {
	if d.t == nil {
		return "", false
	}
	s, ok := d.t.RawGetString("name").(lua.LString)
	return string(s), ok
}

// toolFields returns the fields of both forms as one table.
func toolFields(L *lua.LState) (declared, error) {
	if t, ok := L.Get(1).(*lua.LTable); ok {
		if L.GetTop() > 1 {
			return declared{t}, fmt.Errorf("want tool{ … } or tool(name, description, input, run), got %s behind the table", got(L.Get(2)))
		}
		return declared{t}, nil
	}
	if L.Get(1).Type() != lua.LTString {
		return declared{}, fmt.Errorf("want tool{ … } or tool(name, description, input, run), got %s", describe(L.Get(1)))
	}
	t := maker.CreateTable(0, 8)
	for i, name := range []string{"name", "description", "input", "run"} {
		t.RawSetString(name, L.Get(i+1))
	}
	switch more := L.Get(5).(type) {
	case *lua.LNilType:
	case *lua.LTable:
		for k, v := more.Next(lua.LNil); k != lua.LNil; k, v = more.Next(k) {
			if t.RawGet(k) != lua.LNil {
				return declared{t}, fmt.Errorf("field %s is given twice, by its position and in the last table", keyText(k))
			}
			t.RawSet(k, v)
		}
	default:
		return declared{t}, fmt.Errorf("want a table of further fields behind the function, got %s", describe(more))
	}
	if L.GetTop() > 5 {
		return declared{t}, errors.New("want at most five arguments: name, description, input, run and a table of further fields")
	}
	return declared{t}, nil
}

// fieldNames are all fields, in the order in which they are looked at.
var fieldNames = []string{"name", "title", "description", "input", "output", "run", "permissions", "read_only", "destructive", "idempotent",
	"open_world", "timeout", "rate", "concurrency", "confirm", "keep", "always_load", "max_result", "examples", "enabled", "annotations",
	"icons", "meta"}

// fill reads all fields and returns all that is wrong with them.
func (def *Definition) fill(d declared) (faults []error) {
	for _, complaint := range unknownKeys(d.t, "field", fieldNames) {
		faults = append(faults, errors.New(complaint))
	}
	unknown := len(faults) > 0
	for _, name := range fieldNames {
		v := d.t.RawGetString(name)
		if v == lua.LNil {
			continue
		}
		if err := def.set(name, v); err != nil {
			for _, err := range each(err) {
				faults = append(faults, fieldError(name, err))
			}
		}
	}
	if unknown { // what is missing may be there under that name
		return faults
	}
	missing := func(name string) bool { return d.t.RawGetString(name) == lua.LNil }
	if missing("run") {
		faults = append(faults, errors.New("field 'run' is missing: want run = function(args, ctx) … end"))
	}
	if missing("description") {
		faults = append(faults, errors.New("field 'description' is missing: say what the tool does and when to use it"))
	}
	if def.Input == nil && missing("input") {
		if err := def.set("input", lua.LNil); err != nil {
			faults = append(faults, err)
		}
	}
	return faults
}

// fieldError names the field. input and output name the property behind it, whose line is the one of interest.
func fieldError(name string, err error) error {
	if name == "input" || name == "output" {
		if _, ok := errors.AsType[*propertyError](err); ok {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return fmt.Errorf("field '%s': %w", name, err)
}

// set reads one field that is given.
func (def *Definition) set(name string, v lua.LValue) (err error) {
	switch name {
	case "name":
		if def.Name, err = textField(v); err == nil && !isToolName(def.Name) {
			err = fmt.Errorf("want a name of the letters a-z, 0-9, _ and - that begins with a letter and has no __, got %s", quote(def.Name))
		}
	case "title":
		def.Title, err = textField(v)
	case "description":
		def.Description, err = textField(v)
	case "input":
		var p pair
		p, err = rootSchema(v)
		def.Input, def.InputGate = p.shown, p.gate
	case "output":
		var p pair
		p, err = rootSchema(v)
		def.Output, def.OutputGate, def.OutputDeclared = p.shown, p.gate, err == nil
	case "run":
		def.Run, err = functionField(v)
	case "permissions":
		def.Permissions, err = permissions(v)
	case "read_only":
		def.ReadOnly, err = flagField(v)
	case "destructive":
		def.Destructive, err = flagField(v)
	case "idempotent":
		def.Idempotent, err = flagField(v)
	case "open_world":
		def.OpenWorld, err = flagField(v)
	case "keep":
		def.Keep, err = isTrue(v)
	case "always_load":
		def.AlwaysLoad, err = isTrue(v)
	case "confirm":
		def.ConfirmFunc, _ = v.(*lua.LFunction)
		if def.ConfirmFunc == nil {
			if def.Confirm, err = textField(v); err != nil {
				err = fmt.Errorf("want a question as text, or a function(args) that returns one, got %s", describe(v))
			}
		}
	case "enabled":
		def.EnabledFunc, _ = v.(*lua.LFunction)
		if def.EnabledFunc == nil {
			if def.Enabled, err = flagField(v); err != nil {
				err = fmt.Errorf("want true, false or a function that returns one of them and a reason, got %s", describe(v))
			}
		}
	default:
		return def.setOther(name, v)
	}
	return err
}

// setOther reads the fields that bound a tool, and those that are passed on.
func (def *Definition) setOther(name string, v lua.LValue) (err error) {
	complaint := ""
	switch name {
	case "timeout":
		def.Timeout, complaint = parseDuration(v)
	case "max_result":
		def.MaxResult, complaint = parseSize(v)
	case "rate":
		if def.Rate, err = textField(v); err == nil {
			_, err = ParseRate(def.Rate)
		}
	case "concurrency":
		n, ok := v.(lua.LNumber)
		if f := float64(n); !ok || f < 1 || f > 1e6 || f != math.Trunc(f) {
			complaint = "want a whole number from 1 on, got " + describe(v)
		}
		def.Concurrency = int(n)
	case "examples":
		def.Examples, err = def.examples(v)
	case "annotations":
		def.Annotations, err = objectField(name, v)
	case "meta":
		def.Meta, err = objectField(name, v)
	case "icons":
		def.Icons, err = icons(v)
	}
	if complaint != "" {
		return errors.New(complaint)
	}
	return err
}

func textField(v lua.LValue) (string, error) {
	s, ok := v.(lua.LString)
	if !ok {
		return "", fmt.Errorf("want a string, got %s", describe(v))
	}
	if strings.TrimSpace(string(s)) == "" {
		return "", errors.New("want a text that is not empty")
	}
	return valid(string(s)), nil
}

func functionField(v lua.LValue) (*lua.LFunction, error) {
	f, ok := v.(*lua.LFunction)
	if !ok {
		return nil, fmt.Errorf("want a function(args, ctx), got %s", describe(v))
	}
	return f, nil
}

func flagField(v lua.LValue) (*bool, error) {
	b, err := isTrue(v)
	return &b, err
}

func isTrue(v lua.LValue) (bool, error) {
	b, ok := v.(lua.LBool)
	if !ok {
		return false, fmt.Errorf("want true or false, got %s", describe(v))
	}
	return bool(b), nil
}

// isToolName reports whether name fits the wire: [a-z][a-z0-9_-]* without "__".
func isToolName(name string) bool {
	for i, c := range []byte(name) {
		letter := c >= 'a' && c <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9' || c == '_' || c == '-')) {
			return false
		}
	}
	return name != "" && len(name) <= 64 && !strings.Contains(name, "__")
}

// openObject is the shape of what must be an object.
var openObject = &luajson.Shape{Kind: luajson.ObjectKind}

func objectField(name string, v lua.LValue) ([]byte, error) {
	t, ok := v.(*lua.LTable)
	if !ok || t.Len() > 0 {
		return nil, fmt.Errorf("want a table with names, got %s", listOr(v))
	}
	return luajson.Append(nil, t, luajson.EncodeOptions{Name: name, Shape: openObject})
}

func listOr(v lua.LValue) string {
	if _, ok := v.(*lua.LTable); ok {
		return "a list"
	}
	return describe(v)
}

// icons reads a list of { src =, mimeType =, sizes = }.
func icons(v lua.LValue) ([]byte, error) {
	list, ok := v.(*lua.LTable)
	if !ok || list.Len() == 0 {
		return nil, fmt.Errorf("want a list of { src = … }, got %s", describe(v))
	}
	for i := 1; i <= list.Len(); i++ {
		icon, ok := list.RawGetInt(i).(*lua.LTable)
		if !ok {
			return nil, fmt.Errorf("icon %d: want a table { src = … }, got %s", i, describe(list.RawGetInt(i)))
		}
		if _, ok := icon.RawGetString("src").(lua.LString); !ok {
			return nil, fmt.Errorf("icon %d: src: want a URL as a string, got %s", i, describe(icon.RawGetString("src")))
		}
	}
	return luajson.Append(nil, list, luajson.EncodeOptions{Name: "icons"})
}

// examples reads a list of { input =, output =, note = }.
func (def *Definition) examples(v lua.LValue) ([]byte, error) {
	list, ok := v.(*lua.LTable)
	if !ok || list.Len() == 0 {
		return nil, fmt.Errorf("want a list of { input = …, output = …, note = … }, got %s", describe(v))
	}
	for i := 1; i <= list.Len(); i++ {
		example, ok := list.RawGetInt(i).(*lua.LTable)
		if !ok {
			return nil, fmt.Errorf("example %d: want a table { input = … }, got %s", i, describe(list.RawGetInt(i)))
		}
		if complaint := unknownKey(example, "field", []string{"input", "output", "note"}); complaint != "" {
			return nil, fmt.Errorf("example %d: %s", i, complaint)
		}
		if example.RawGetString("input").Type() != lua.LTTable {
			return nil, fmt.Errorf("example %d: input: want a table of arguments, got %s", i, describe(example.RawGetString("input")))
		}
		if note := example.RawGetString("note"); note != lua.LNil && note.Type() != lua.LTString {
			return nil, fmt.Errorf("example %d: note: want a string, got %s", i, describe(note))
		}
	}
	input := luajson.CompileShape(def.Input)
	if input == nil {
		input = openObject
	}
	shape := &luajson.Shape{Kind: luajson.ListKind, Items: &luajson.Shape{Kind: luajson.ObjectKind, Members: map[string]*luajson.Shape{
		"input": input, "output": luajson.CompileShape(def.Output),
	}}}
	return luajson.Append(nil, list, luajson.EncodeOptions{Name: "examples", Shape: shape})
}
