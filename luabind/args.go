package luabind

import (
	"math"
	"strconv"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
)

// stringArg returns argument i of fn. Numbers are taken as their text, as Lua's own functions do.
func stringArg(L *lua.LState, fn string, i int, name string) string {
	v := L.Get(i)
	if s, ok := v.(lua.LString); ok {
		return string(s)
	}
	if s, ok := scalarText(v); ok {
		return s
	}
	misuse(L, fn, i, name, "want a string, got "+got(v))
	return ""
}

// scalarText is a number or json.integer as text.
func scalarText(v lua.LValue) (string, bool) {
	if n, ok := v.(lua.LNumber); ok {
		if f := float64(n); !math.IsNaN(f) && !math.IsInf(f, 0) {
			return string(luajson.AppendNumber(nil, f)), true
		}
		return n.String(), true
	}
	return luajson.Digits(v)
}

func tableArg(L *lua.LState, fn string, i int, name string) *lua.LTable {
	t, ok := L.Get(i).(*lua.LTable)
	if !ok {
		misuse(L, fn, i, name, "want a table, got "+got(L.Get(i)))
	}
	return t
}

// optionsArg returns the optional table argument i of fn and checks that all its keys are in allowed.
func optionsArg(L *lua.LState, fn string, i int, allowed ...string) *lua.LTable {
	v := L.Get(i)
	if v == lua.LNil {
		return nil
	}
	t, ok := v.(*lua.LTable)
	if !ok {
		misuse(L, fn, i, "options", "want a table of options, got "+got(v))
	}
	if message := unknownKey(t, "option", allowed); message != "" {
		raise(L, fn+": "+message)
	}
	return t
}

// integerArg returns the whole number that is argument i of fn, or missing when there is none.
func integerArg(L *lua.LState, fn string, i int, name string, missing int) int {
	v := L.Get(i)
	if v == lua.LNil {
		return missing
	}
	n, ok := v.(lua.LNumber)
	if !ok || float64(n) != math.Trunc(float64(n)) || math.Abs(float64(n)) > 1<<53 {
		misuse(L, fn, i, name, "want a whole number, got "+describe(v))
	}
	return int(n)
}

func misuse(L *lua.LState, fn string, i int, name, message string) {
	if i > 1 {
		message = name + ": " + message
	}
	raise(L, fn+": "+message)
}

// describe says what came, with its value where that is short.
func describe(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LNumber:
		return v.String()
	case lua.LString:
		return quote(string(v))
	case lua.LBool:
		return v.String()
	}
	return got(v)
}

// parseDuration reads "500ms", "10s", "1h30m" or a number of seconds. complaint is empty when v is one, above zero and below a year.
func parseDuration(v lua.LValue) (d time.Duration, complaint string) {
	const wanted = `want a duration such as "500ms", "10s", "1h30m" or a number of seconds, got `
	const most = 365 * 24 * time.Hour
	switch v := v.(type) {
	case lua.LNumber:
		s := float64(v)
		if !(s > 0) || s > most.Seconds() {
			return 0, wanted + describe(v)
		}
		return time.Duration(s * float64(time.Second)), ""
	case lua.LString:
		d, err := time.ParseDuration(string(v))
		if err != nil || d <= 0 || d > most || strings.ContainsAny(string(v), "+nuµμ") {
			return 0, wanted + describe(v)
		}
		return d, ""
	}
	return 0, wanted + describe(v)
}

// units of sizes, the longest names first.
var units = []struct {
	name  string
	bytes float64
}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"KB", 1e3}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"B", 1}}

// parseSize reads "4MiB", "100KB", "512B" or a number of bytes.
func parseSize(v lua.LValue) (bytes int64, complaint string) {
	const most = 1 << 40
	complaint = `want a size such as "4MiB", "100KB" or a number of bytes, got ` + describe(v)
	size := 0.0
	switch v := v.(type) {
	case lua.LNumber:
		size = float64(v)
	case lua.LString:
		for _, u := range units {
			if digits, ok := strings.CutSuffix(string(v), u.name); ok {
				digits = strings.TrimRight(digits, " ")
				n, err := strconv.ParseFloat(digits, 64)
				if err != nil || strings.Trim(digits, "0123456789.") != "" {
					return 0, complaint
				}
				size = math.Trunc(n * u.bytes)
				break
			}
		}
	}
	if !(size >= 1) || size > most || size != math.Trunc(size) {
		return 0, complaint
	}
	return int64(size), ""
}
