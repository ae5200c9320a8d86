package sandbox

import (
	"fmt"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// The originals of these take NaN and huge numbers for whatever the machine makes of them, call libraries "userdata", and accept number
// texts that Lua does not.

func argError(L *lua.LState, n int, message string) {
	name := "?"
	if dbg, ok := L.GetStack(0); ok {
		if _, err := L.GetInfo("n", dbg, lua.LNil); err == nil && dbg.Name != "" {
			name = dbg.Name
		}
	}
	L.RaiseError("bad argument #%d to '%s' (%s)", n, name, message)
}

func typeError(L *lua.LState, n int, want string) {
	got := "no value"
	if n <= L.GetTop() {
		got = typeName(L.Get(n))
	}
	argError(L, n, fmt.Sprintf("%s expected, got %s", want, got))
}

func checkString(L *lua.LState, n int) string {
	switch v := L.Get(n).(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return numberText(v)
	}
	typeError(L, n, "string")
	return ""
}

func optString(L *lua.LState, n int, otherwise string) string {
	if L.Get(n) == lua.LNil {
		return otherwise
	}
	return checkString(L, n)
}

func checkNumber(L *lua.LState, n int) float64 {
	if v, ok := numberOf(L.Get(n)); ok {
		return v
	}
	typeError(L, n, "number")
	return 0
}

func numberOf(v lua.LValue) (float64, bool) {
	switch v := v.(type) {
	case lua.LNumber:
		return float64(v), true
	case lua.LString:
		return parseNumber(string(v))
	}
	return 0, false
}

// checkInt cuts the fraction off; what an int cannot hold becomes its nearest end, NaN 0.
func checkInt(L *lua.LState, n int) int { return toInt(checkNumber(L, n)) }

func optInt(L *lua.LState, n, otherwise int) int {
	if L.Get(n) == lua.LNil {
		return otherwise
	}
	return checkInt(L, n)
}

func toInt(v float64) int {
	switch {
	case v != v:
		return 0
	case v >= math.MaxInt64:
		return math.MaxInt64
	case v <= math.MinInt64:
		return math.MinInt64
	}
	return int(v)
}

// checkTable wants a table that may be written.
func checkTable(L *lua.LState, n int) *lua.LTable {
	t, writable := tableOf(L.Get(n))
	if t == nil {
		typeError(L, n, "table")
	}
	if !writable {
		argError(L, n, "the library is read-only")
	}
	return t
}

// readTable wants a table or a library, for reading alone.
func readTable(L *lua.LState, n int) *lua.LTable {
	t, _ := tableOf(L.Get(n))
	if t == nil {
		typeError(L, n, "table")
	}
	return t
}

func checkAny(L *lua.LState, n int) lua.LValue {
	if n > L.GetTop() {
		argError(L, n, "value expected")
	}
	return L.Get(n)
}

func checkFunction(L *lua.LState, n int) *lua.LFunction {
	fn, ok := L.Get(n).(*lua.LFunction)
	if !ok {
		typeError(L, n, "function")
	}
	return fn
}
