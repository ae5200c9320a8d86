package luabind

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
	"github.com/luatools/luatools/luabind/sandbox"
)

var jsonFuncs = map[string]lua.LGFunction{
	"encode": jsonEncode, "decode": jsonDecode, "array": arrayFunc, "object": objectFunc, "integer": integerFunc,
}

// maxText bounds the JSON that json.encode makes and json.decode takes, as it bounds any string of a script.
const maxText = 16 << 20

// json.encode(value[, { indent = true | "\t" }]) returns the JSON text of a value, or raises with the path of what cannot be sent.
func jsonEncode(L *lua.LState) int {
	const fn = "json.encode"
	if L.GetTop() == 0 {
		raise(L, fn+": want a value")
	}
	o := luajson.EncodeOptions{Limits: luajson.Limits{Bytes: maxText}}
	if options := optionsArg(L, fn, 2, "indent"); options != nil {
		o.Indent = indent(L, fn, options.RawGetString("indent"))
	}
	text, err := luajson.Append(nil, L.Get(1), o)
	charge(L, len(text))
	if err != nil {
		raise(L, fn+": "+err.Error())
	}
	L.Push(lua.LString(text))
	return 1
}

func indent(L *lua.LState, fn string, v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LNilType:
		return ""
	case lua.LBool:
		if v {
			return "  "
		}
		return ""
	case lua.LString:
		if len(v) <= 16 && strings.Trim(string(v), " \t") == "" {
			return string(v)
		}
	}
	raise(L, fn+": indent: want true or a string of spaces or tabs, got "+describe(v))
	return ""
}

// json.decode(text[, { nulls = true }]) returns the value of a JSON text, or raises with the byte where it is wrong.
func jsonDecode(L *lua.LState) int {
	const fn = "json.decode"
	text := stringArg(L, fn, 1, "text")
	o := luajson.DecodeOptions{Limits: luajson.Limits{Bytes: maxText}}
	if options := optionsArg(L, fn, 2, "nulls"); options != nil {
		nulls := options.RawGetString("nulls")
		if nulls != lua.LNil && nulls.Type() != lua.LTBool {
			raise(L, fn+": nulls: want true or false, got "+describe(nulls))
		}
		if nulls == lua.LTrue {
			o.Nulls = luajson.NullsKept
		}
	}
	if c := sandbox.CallOf(L); c != nil {
		o.Charge = func(n int) { c.Charge(L, n) }
	}
	v, err := luajson.Decode([]byte(text), o)
	if err != nil {
		raise(L, fn+": "+err.Error())
	}
	L.Push(v)
	return 1
}

// array{…} and json.object{…} mark a table, which they return; without one they make an empty one.
func arrayFunc(L *lua.LState) int  { return markFunc(L, "array", luajson.MarkArray) }
func objectFunc(L *lua.LState) int { return markFunc(L, "json.object", luajson.MarkObject) }

func markFunc(L *lua.LState, fn string, mark func(*lua.LTable)) int {
	if L.Get(1) == lua.LNil {
		L.Push(maker.CreateTable(0, 0))
	} else {
		t := tableArg(L, fn, 1, "table")
		if t.Metatable != lua.LNil && !luajson.Marked(t) {
			raise(L, fn+": the table has a metatable of its own")
		}
		L.Push(t)
	}
	mark(L.Get(-1).(*lua.LTable))
	return 1
}

// json.integer(digits) returns an integer by its digits: a number up to 2^53, a json.integer beyond.
func integerFunc(L *lua.LState) int {
	text := stringArg(L, "json.integer", 1, "digits")
	v, ok := luajson.Integer(text)
	if !ok {
		raise(L, "json.integer: want the digits of an integer, got "+quote(text))
	}
	charge(L, len(text))
	L.Push(v)
	return 1
}
