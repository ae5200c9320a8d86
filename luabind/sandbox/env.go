package sandbox

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/protocol/nearest"
)

// Module is one library as Lua sees it: a read-only table of functions under a global name (several for base: Name "").
// Functions are stateless: they find their call by CallOf.
type Module struct {
	Name   string
	Funcs  map[string]lua.LGFunction
	Values map[string]lua.LValue // constants; a table is copied into a read-only one, a userdata must never change
	Call   lua.LGFunction        // makes the module callable, with the arguments alone on the stack; nil when it is not
	Others map[string]string     // what other libraries call a function or value, with what to write here
	Needs  string                // the right it needs ("net", "db", …); empty when it is always there
}

// Env is the environment of the states of one file: base, standard libraries and modules, built once, read-only, shared by any number of
// states at once.
type Env struct {
	names   []string                // of all globals, sorted
	globals *library                // what _G shows
	empty   *lua.LTable             // the environment of every function: it holds nothing, so that every access meets its metatable
	strings *lua.LTable             // metatable of strings
	shared  map[lua.LValue]struct{} // functions and userdata that belong to all states
	base    *Env                    // the one of the standard libraries
	values  map[string]lua.LValue   // of base alone: its globals
}

// NewEnv builds an environment of the standard libraries and mods. Modules of one name are joined; naming a function twice panics.
func NewEnv(mods []*Module) *Env {
	base := standardEnv()
	joined := map[string]*Module{}
	for _, m := range mods {
		j := joined[m.Name]
		if j == nil {
			j = newModule(m.Name)
			joined[m.Name] = j
		}
		j.add(m)
	}
	e := newEnv()
	e.base = base
	globals := maps.Clone(base.values)
	for _, name := range slices.Sorted(maps.Keys(joined)) {
		e.install(globals, name, joined[name])
	}
	e.buildGlobals(globals)
	return e
}

// install puts a module among the globals; one that extends a standard library replaces it.
func (e *Env) install(globals map[string]lua.LValue, name string, m *Module) {
	if name == "" {
		for name, v := range e.fields(m) {
			if globals[name] != nil {
				panic(fmt.Sprintf("sandbox: there are two globals %s", name))
			}
			globals[name] = v
		}
		return
	}
	if i := slices.IndexFunc(standard, func(s *Module) bool { return s.Name == name }); i >= 0 {
		m.add(standard[i])
	} else if globals[name] != nil {
		panic(fmt.Sprintf("sandbox: %s is a function and a library", name))
	}
	lib := e.library(name, e.fields(m), m.Call)
	lib.Value.(*library).others = m.Others
	globals[name] = lib
}

// standardEnv has the standard libraries, built once for all environments.
var standardEnv = sync.OnceValue(func() *Env {
	e := newEnv()
	globals := map[string]lua.LValue{}
	for _, m := range standard {
		if m.Name == "" {
			maps.Copy(globals, e.fields(m))
		} else {
			globals[m.Name] = e.library(m.Name, e.fields(m), nil)
		}
	}
	e.values = globals
	return e
})

func newEnv() *Env {
	return &Env{empty: &lua.LTable{Metatable: lua.LNil}, shared: map[lua.LValue]struct{}{}}
}

func newModule(name string) *Module {
	return &Module{Name: name, Funcs: map[string]lua.LGFunction{}, Values: map[string]lua.LValue{}}
}

func (m *Module) add(o *Module) {
	for name, fn := range o.Funcs {
		if m.Funcs[name] != nil || m.Values[name] != nil {
			panic(fmt.Sprintf("sandbox: module %q has two functions %s", o.Name, name))
		}
		m.Funcs[name] = fn
	}
	for name, v := range o.Values {
		if m.Funcs[name] != nil || m.Values[name] != nil {
			panic(fmt.Sprintf("sandbox: module %q has two values %s", o.Name, name))
		}
		m.Values[name] = v
	}
	if o.Call != nil {
		m.Call = o.Call
	}
	if o.Others != nil {
		m.Others = o.Others
	}
}

func (e *Env) buildGlobals(globals map[string]lua.LValue) {
	e.names = slices.DeleteFunc(slices.Sorted(maps.Keys(globals)), func(n string) bool { return n == concatName })
	hidden := globals[concatName]
	delete(globals, concatName)
	// _G is in the table that it shows; pairs over it ends because the order of keys is fixed.
	fields := sortedTable(globals)
	e.globals = &library{name: "_G", fields: fields}
	fields.RawSetString("_G", e.userdata(e.globals, nil))
	fields.Metatable = e.metatable(map[string]lua.LValue{"__index": e.function(e.unknownGlobal)})
	e.names = append(e.names, "_G")
	slices.Sort(e.names)

	// The hidden join stands between the environment and the globals, where _G and pairs do not see it.
	join := sortedTable(map[string]lua.LValue{concatName: hidden})
	for name := range globals {
		join.RawSetString(name, globals[name])
	}
	join.RawSetString("_G", fields.RawGetString("_G"))
	join.Metatable = fields.Metatable
	e.empty.Metatable = e.metatable(map[string]lua.LValue{"__index": join, "__newindex": e.function(undeclaredGlobal)})

	str := globals["string"].(*lua.LUserData).Value.(*library)
	e.strings = e.metatable(map[string]lua.LValue{"__index": str.fields})
}

// Has reports whether name is a global of the environment.
func (e *Env) Has(name string) bool {
	_, ok := slices.BinarySearch(e.names, name)
	return ok
}

// Near returns the global whose name is nearest to an unknown one, or "".
func (e *Env) Near(name string) string { return nearest.Name(name, e.names) }

func (e *Env) unknownGlobal(L *lua.LState) int {
	name := keyText(L.Get(2))
	text := fmt.Sprintf("there is no global '%s'", name)
	if write := ForeignGlobal(name); write != "" {
		text += "; " + write
	} else if near := e.Near(name); near != "" {
		text += fmt.Sprintf("; did you mean '%s'?", near)
	} else {
		text += "; declare it with local"
	}
	L.RaiseError("%s", text)
	return 0
}

func undeclaredGlobal(L *lua.LState) int {
	name := keyText(L.Get(2))
	L.RaiseError("assignment to the undeclared global '%s'; write local %s", name, name)
	return 0
}

// library is what lies behind a read-only table. Scripts hold a userdata whose metatable leads to fields: a metatable does not protect a
// plain table, because the VM writes a key that exists without asking it, and rawset, insert and sort do not ask either.
type library struct {
	name   string
	fields *lua.LTable // never handed to a script
	others map[string]string
}

// LibraryName returns the name of a library or another read-only table.
func LibraryName(v lua.LValue) (string, bool) {
	if ud, ok := v.(*lua.LUserData); ok {
		if lib, ok := ud.Value.(*library); ok {
			return lib.name, true
		}
	}
	return "", false
}

// LuaType is what type() says.
func (*library) LuaType() string { return "table" }

// Typed is implemented by the Value of a userdata that should not call itself "userdata" in type() and in error texts.
type Typed interface{ LuaType() string }

func (e *Env) fields(m *Module) map[string]lua.LValue {
	fields := make(map[string]lua.LValue, len(m.Funcs)+len(m.Values))
	for name, fn := range m.Funcs {
		fields[name] = e.function(fn)
	}
	for name, v := range m.Values {
		fields[name] = e.frozen(m.Name+"."+name, v, 0)
	}
	return fields
}

// frozen makes a read-only copy of a table; other values stay as they are.
func (e *Env) frozen(name string, v lua.LValue, depth int) lua.LValue {
	t, ok := v.(*lua.LTable)
	if !ok {
		switch v.(type) {
		case *lua.LFunction, *lua.LUserData:
			e.shared[v] = struct{}{}
		}
		return v
	}
	if depth > 16 {
		panic("sandbox: " + name + " is nested too deep, or in itself")
	}
	fields := &lua.LTable{Metatable: lua.LNil}
	for k, item := t.Next(lua.LNil); k != lua.LNil; k, item = t.Next(k) {
		fields.RawSet(k, e.frozen(name+"."+k.String(), item, depth+1))
	}
	return e.wrap(name, fields, nil)
}

func (e *Env) function(fn lua.LGFunction) *lua.LFunction {
	f := &lua.LFunction{IsG: true, Env: e.empty, GFunction: fn}
	e.shared[f] = struct{}{}
	return f
}

func (e *Env) library(name string, fields map[string]lua.LValue, call lua.LGFunction) *lua.LUserData {
	return e.wrap(name, sortedTable(fields), call)
}

func (e *Env) wrap(name string, fields *lua.LTable, call lua.LGFunction) *lua.LUserData {
	lib := &library{name: name, fields: fields}
	fields.Metatable = e.metatable(map[string]lua.LValue{"__index": e.function(lib.unknown)})
	return e.userdata(lib, call)
}

func (e *Env) userdata(lib *library, call lua.LGFunction) *lua.LUserData {
	meta := map[string]lua.LValue{"__index": lib.fields, "__newindex": e.function(lib.readOnly), "__len": e.function(lib.length)}
	if call != nil {
		meta["__call"] = e.function(func(L *lua.LState) int {
			L.Remove(1) // the module itself
			return call(L)
		})
	}
	return &lua.LUserData{Value: lib, Env: e.empty, Metatable: e.metatable(meta)}
}

// metatable makes one that scripts cannot see through getmetatable.
func (e *Env) metatable(fields map[string]lua.LValue) *lua.LTable {
	mt := sortedTable(fields)
	mt.RawSetString("__metatable", lua.LString(lockedText))
	return mt
}

// sortedTable fills a table in the order of names, so that pairs has one order.
func sortedTable(fields map[string]lua.LValue) *lua.LTable {
	t := &lua.LTable{Metatable: lua.LNil}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		t.RawSetString(name, fields[name])
	}
	return t
}

func (l *library) unknown(L *lua.LState) int {
	name := keyText(L.Get(2))
	var names []string
	l.fields.ForEach(func(k, _ lua.LValue) {
		if s, ok := k.(lua.LString); ok {
			names = append(names, string(s))
		}
	})
	slices.Sort(names)
	text := fmt.Sprintf("%s has no field '%s'", l.name, name)
	if near := nearest.Name(name, names); near != "" {
		text += fmt.Sprintf("; did you mean '%s'?", near)
	} else if write := l.others[name]; write != "" {
		text += "; write " + write
	}
	if l.others != nil {
		text += "; it has " + strings.Join(names, ", ")
	}
	L.RaiseError("%s", text)
	return 0
}

func (l *library) readOnly(L *lua.LState) int {
	L.RaiseError("%s is read-only", l.name)
	return 0
}

func (l *library) length(L *lua.LState) int {
	L.Push(lua.LNumber(l.fields.Len()))
	return 1
}

// tableOf returns the table behind a value that scripts take for one, and whether they may write it.
func tableOf(v lua.LValue) (t *lua.LTable, writable bool) {
	switch v := v.(type) {
	case *lua.LTable:
		return v, true
	case *lua.LUserData:
		if lib, ok := v.Value.(*library); ok {
			return lib.fields, false
		}
	}
	return nil, false
}

// typeName is what type() says of a value.
func typeName(v lua.LValue) string {
	if ud, ok := v.(*lua.LUserData); ok {
		if t, ok := ud.Value.(Typed); ok {
			return t.LuaType()
		}
	}
	return v.Type().String()
}

// keyText writes a key for an error text.
func keyText(v lua.LValue) string {
	var text string
	switch v := v.(type) {
	case lua.LString:
		text = string(v)
	case lua.LNumber:
		text = numberText(v)
	case lua.LBool:
		text = v.String()
	default:
		return "a " + typeName(v)
	}
	if len(text) > 60 {
		text = text[:60] + "…"
	}
	return strings.ToValidUTF8(text, "?")
}
