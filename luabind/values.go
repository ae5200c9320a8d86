package luabind

import (
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
	"github.com/luatools/luatools/luabind/sandbox"
)

// maker makes tables. Creating one touches nothing of the state, so this empty one serves all goroutines.
var maker lua.LState

// noEnv is the environment of the shared Go functions, which need none.
var noEnv = maker.CreateTable(0, 0)

func goFunction(f lua.LGFunction) *lua.LFunction {
	return &lua.LFunction{IsG: true, GFunction: f, Env: noEnv}
}

// opaque makes the metatable that all values of one kind share: they print as name, and a script can neither look into them nor
// change them.
func opaque(name string) *lua.LTable {
	mt := maker.CreateTable(0, 4)
	mt.RawSetString("__metatable", lua.LString(name))
	mt.RawSetString("__tostring", goFunction(func(L *lua.LState) int {
		L.Push(lua.LString(name))
		return 1
	}))
	mt.RawSetString("__index", goFunction(func(L *lua.LState) int {
		raise(L, withArticle(name)+" has no field "+keyText(L.Get(2)))
		return 0
	}))
	mt.RawSetString("__newindex", goFunction(func(L *lua.LState) int {
		raise(L, withArticle(name)+" cannot be changed")
		return 0
	}))
	return mt
}

// wrap makes a userdata around a Go value.
func wrap(v any, mt *lua.LTable) *lua.LUserData { return &lua.LUserData{Value: v, Metatable: mt} }

// raise stops the Lua code with a message as it is; a message may hold what a model sent, so it is never a format.
func raise(L *lua.LState, message string) { L.RaiseError("%s", message) }

// charge counts memory against the call, if there is one.
func charge(L *lua.LState, bytes int) {
	if c := sandbox.CallOf(L); c != nil {
		c.Charge(L, bytes)
	}
}

// kindName says what v is: "nil", "string", "json.null", "image".
func kindName(v lua.LValue) string {
	if v == lua.LValue(luajson.Null) {
		return "json.null"
	}
	if ud, ok := v.(*lua.LUserData); ok {
		if mt, ok := ud.Metatable.(*lua.LTable); ok {
			if name, ok := mt.RawGetString("__metatable").(lua.LString); ok {
				return string(name)
			}
		}
	}
	return v.Type().String()
}

// got says what came instead of what was wanted: "nil", "a number", "an image".
func got(v lua.LValue) string {
	switch name := kindName(v); name {
	case "nil", "json.null":
		return name
	default:
		if library, ok := sandbox.LibraryName(v); ok {
			return "the library " + library
		}
		return withArticle(name)
	}
}

func withArticle(name string) string {
	if strings.ContainsRune("aeiou", rune(name[0])) {
		return "an " + name
	}
	return "a " + name
}

// quote writes a text from outside for an error message, cut when it is long.
func quote(s string) string { return `"` + cut(s) + `"` }

func keyText(key lua.LValue) string {
	switch key := key.(type) {
	case lua.LString:
		return "'" + cut(string(key)) + "'"
	case lua.LNumber:
		return key.String()
	}
	return "(" + got(key) + ")"
}

// cut shortens a text to some 60 bytes, at a whole letter.
func cut(s string) string {
	const most = 60
	s = strings.ToValidUTF8(s[:min(len(s), most+utf8.UTFMax)], "\ufffd")
	if len(s) <= most {
		return s
	}
	end := most
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// valid repairs a text that leaves the process.
func valid(s string) string { return strings.ToValidUTF8(s, "\ufffd") }
