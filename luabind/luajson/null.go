package luajson

import (
	lua "github.com/yuin/gopher-lua"
)

// Null is json.null, the value of JSON's null: it equals only itself, prints as "null" and raises on every operator, call and index.
var Null = &lua.LUserData{Metatable: nullMetatable()}

// maker makes tables. Creating one touches nothing of the state, so this empty one serves all goroutines.
var maker lua.LState

// noEnv is the environment of the package's Go functions, which need none.
var noEnv = maker.CreateTable(0, 0)

// operators are the metamethods of arithmetic, with the word for each.
var operators = map[string]string{
	"__add": "add to", "__sub": "subtract with", "__mul": "multiply", "__div": "divide", "__mod": "take the remainder of",
	"__pow": "raise to a power", "__unm": "negate",
}

func nullMetatable() *lua.LTable {
	mt := maker.CreateTable(0, 20)
	for event, word := range operators {
		mt.RawSetString(event, raising("cannot "+word+" json.null"))
	}
	mt.RawSetString("__concat", raising("cannot concatenate json.null"))
	mt.RawSetString("__len", raising("json.null has no length"))
	mt.RawSetString("__lt", raising("cannot order json.null"))
	mt.RawSetString("__le", raising("cannot order json.null"))
	mt.RawSetString("__call", raising("cannot call json.null"))
	mt.RawSetString("__index", goFunction(func(L *lua.LState) int {
		L.RaiseError("%s", "json.null has no field "+keyText(L.Get(2))+nullHelp)
		return 0
	}))
	mt.RawSetString("__newindex", goFunction(func(L *lua.LState) int {
		L.RaiseError("%s", "cannot set field "+keyText(L.Get(2))+" of json.null"+nullHelp)
		return 0
	}))
	mt.RawSetString("__tostring", goFunction(func(L *lua.LState) int {
		L.Push(lua.LString("null"))
		return 1
	}))
	mt.RawSetString("__metatable", lua.LString("json.null"))
	return mt
}

const nullHelp = ": the value is JSON's null; compare it with json.null first"

func raising(message string) *lua.LFunction {
	return goFunction(func(L *lua.LState) int {
		L.RaiseError("%s", message+nullHelp)
		return 0
	})
}

// goFunction makes a function that any state may call.
func goFunction(f lua.LGFunction) *lua.LFunction {
	return &lua.LFunction{IsG: true, GFunction: f, Env: noEnv}
}

// keyText writes a key for an error message, cut when it is long.
func keyText(key lua.LValue) string {
	if s, ok := key.(lua.LString); ok {
		return "'" + cut(string(s)) + "'"
	}
	if n, ok := key.(lua.LNumber); ok {
		return n.String()
	}
	return "(a " + key.Type().String() + ")"
}
