package luabind

import (
	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
	"github.com/luatools/luatools/luabind/sandbox"
)

// Module is one library as Lua sees it.
type Module = sandbox.Module

// Modules returns the modules that every tool file has: tool and param, result and the blocks, json, text, log, array and print.
func Modules() []*Module {
	return []*Module{
		{Funcs: map[string]lua.LGFunction{
			"tool": toolFunc, "result": resultFunc, "image": imageFunc, "audio": audioFunc, "link": linkFunc, "resource": resourceFunc,
			"array": arrayFunc, "print": printFunc,
		}},
		{Name: "param", Funcs: paramFuncs, Others: otherBuilders},
		{Name: "json", Funcs: jsonFuncs, Values: map[string]lua.LValue{"null": luajson.Null}},
		{Name: "text", Funcs: textFuncs, Call: textFunc},
		{Name: "log", Funcs: logFuncs},
	}
}
