package luajson

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
	"weak"

	lua "github.com/yuin/gopher-lua"
)

// digits is the value inside a json.integer: an optional minus and decimal digits without leading zeros.
type digits string

// LuaNumber rounds the integer, for tonumber.
func (d digits) LuaNumber() float64 {
	f, _ := strconv.ParseFloat(string(d), 64) // out of range is infinite, as in tonumber("1e999")
	return f
}

// maxExact is 2^53, the last integer that stands for itself alone as a float.
const maxExact = "9007199254740992"

// Integer returns the Lua value of a decimal integer: a number up to 2^53 either way, a json.integer beyond. ok is false when
// text is no integer as JSON writes one. Equal digits are the same value everywhere, so that it works as a key of a table.
func Integer(text string) (v lua.LValue, ok bool) {
	abs := strings.TrimPrefix(text, "-")
	if abs == "" || abs[0] == '0' && len(abs) > 1 || strings.Trim(abs, "0123456789") != "" {
		return nil, false
	}
	if beyond(abs) {
		return intern(text), true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return lua.LNumber(n), err == nil
}

// Digits returns the digits of a json.integer.
func Digits(v lua.LValue) (text string, ok bool) {
	if ud, isUD := v.(*lua.LUserData); isUD {
		d, isInteger := ud.Value.(digits)
		return string(d), isInteger
	}
	return "", false
}

// beyond reports whether the integer abs, which has no sign, lies beyond 2^53.
func beyond(abs string) bool {
	return len(abs) > len(maxExact) || len(abs) == len(maxExact) && abs > maxExact
}

// integers holds the json.integer values in use by their digits. A value that nobody holds leaves it when it is collected.
var integers sync.Map // string → weak.Pointer[lua.LUserData]

type interned struct {
	text  string
	value weak.Pointer[lua.LUserData]
}

func intern(text string) *lua.LUserData {
	copied := false
	for {
		if w, ok := integers.Load(text); ok {
			if ud := w.(weak.Pointer[lua.LUserData]).Value(); ud != nil {
				return ud
			}
			integers.CompareAndDelete(text, w) // collected, its cleanup still to come
		}
		if !copied {
			text, copied = strings.Clone(text), true // do not hold the whole JSON text
		}
		ud := &lua.LUserData{Value: digits(text), Metatable: integerMetatable}
		w := weak.Make(ud)
		if _, loaded := integers.LoadOrStore(text, w); !loaded {
			runtime.AddCleanup(ud, func(i interned) { integers.CompareAndDelete(i.text, i.value) }, interned{text, w})
			return ud
		}
	}
}

// compareDigits orders two integers by their digits.
func compareDigits(a, b digits) int {
	negative := strings.HasPrefix(string(a), "-")
	if negative != strings.HasPrefix(string(b), "-") {
		if negative {
			return -1
		}
		return 1
	}
	order := len(a) - len(b)
	if order == 0 {
		order = strings.Compare(string(a), string(b))
	}
	if negative {
		return -order
	}
	return order
}

var integerMetatable = makeIntegerMetatable()

func makeIntegerMetatable() *lua.LTable {
	mt := maker.CreateTable(0, 20)
	for event, word := range operators {
		mt.RawSetString(event, goFunction(func(L *lua.LState) int {
			L.RaiseError("%s", "cannot "+word+" a json.integer, whose digits go beyond what a Lua number holds: tonumber(x) rounds it")
			return 0
		}))
	}
	mt.RawSetString("__lt", comparing(func(order int) bool { return order < 0 }))
	mt.RawSetString("__le", comparing(func(order int) bool { return order <= 0 }))
	mt.RawSetString("__tostring", goFunction(func(L *lua.LState) int {
		text, _ := Digits(L.Get(1))
		L.Push(lua.LString(text))
		return 1
	}))
	mt.RawSetString("__concat", goFunction(concat))
	mt.RawSetString("__len", goFunction(func(L *lua.LState) int {
		L.RaiseError("a json.integer has no length: tostring(x) gives its digits")
		return 0
	}))
	for _, event := range []string{"__index", "__newindex"} {
		mt.RawSetString(event, goFunction(func(L *lua.LState) int {
			L.RaiseError("%s", "a json.integer has no field "+keyText(L.Get(2))+": tostring(x) gives its digits")
			return 0
		}))
	}
	mt.RawSetString("__metatable", lua.LString("json.integer"))
	return mt
}

func comparing(holds func(order int) bool) *lua.LFunction {
	return goFunction(func(L *lua.LState) int {
		a, okA := Digits(L.Get(1))
		b, okB := Digits(L.Get(2))
		if !okA || !okB {
			L.RaiseError("cannot order a json.integer and a %s: tonumber(x) rounds it", L.Get(2).Type())
		}
		L.Push(lua.LBool(holds(compareDigits(digits(a), digits(b)))))
		return 1
	})
}

// concat joins an integer with a string, a number or another integer: the digits are what people want in a text.
func concat(L *lua.LState) int {
	joined := ""
	for i := 1; i <= 2; i++ {
		v := L.Get(i)
		if text, ok := Digits(v); ok {
			joined += text
		} else if lua.LVCanConvToString(v) {
			joined += lua.LVAsString(v)
		} else {
			L.RaiseError("cannot concatenate a json.integer and a %s", v.Type())
		}
	}
	L.Push(lua.LString(joined))
	return 1
}
