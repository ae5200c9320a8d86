package sandbox

import (
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Of os there are the clock and its formats alone.
var osModule = &Module{
	Name:  "os",
	Funcs: map[string]lua.LGFunction{"clock": osClock, "date": osDate, "difftime": osDiffTime, "time": osTime},
}

var started = time.Now()

func osClock(L *lua.LState) int {
	RequireRunning(L, "os.clock")
	L.Push(lua.LNumber(time.Since(started).Seconds()))
	return 1
}

func osDiffTime(L *lua.LState) int {
	later := checkNumber(L, 1)
	earlier := 0.0
	if L.Get(2) != lua.LNil {
		earlier = checkNumber(L, 2)
	}
	L.Push(lua.LNumber(later - earlier))
	return 1
}

// osTime with a table touches no clock, so it works while a file loads too.
func osTime(L *lua.LState) int {
	if L.Get(1) == lua.LNil {
		RequireRunning(L, "os.time without a table")
		L.Push(lua.LNumber(time.Now().Unix()))
		return 1
	}
	t := readTable(L, 1)
	field := func(name string, otherwise int) int {
		v := t.RawGetString(name)
		if v == lua.LNil {
			if otherwise < 0 {
				L.RaiseError("field '%s' missing in date table", name)
			}
			return otherwise
		}
		n, ok := numberOf(v)
		if !ok || n < -1e9 || n > 1e9 {
			L.RaiseError("field '%s' of the date table is not a sound number", name)
		}
		return int(n)
	}
	at := time.Date(field("year", -1), time.Month(field("month", -1)), field("day", -1),
		field("hour", 12), field("min", 0), field("sec", 0), 0, time.Local)
	L.Push(lua.LNumber(at.Unix()))
	return 1
}

func osDate(L *lua.LState) int {
	format := optString(L, 1, "%c")
	var at time.Time
	if L.Get(2) == lua.LNil {
		RequireRunning(L, "os.date without a time")
		at = time.Now()
	} else {
		sec := checkNumber(L, 2)
		if !(sec > -6e10 && sec < 2.5e11) { // the years 69 to 9892
			argError(L, 2, "time out of range")
		}
		at = time.Unix(int64(sec), 0)
	}
	if strings.HasPrefix(format, "!") {
		format, at = format[1:], at.UTC()
	}
	if strings.HasPrefix(format, "*t") {
		L.Push(dateTable(at))
		return 1
	}
	if len(format) > 4096 {
		argError(L, 1, "format too long")
	}
	text := strftime(format, at)
	CallOf(L).ChargeString(L, len(text))
	L.Push(lua.LString(text))
	return 1
}

// dateTable has yday and isdst too; the original leaves them 0 and false.
func dateTable(at time.Time) *lua.LTable {
	t := &lua.LTable{Metatable: lua.LNil}
	for _, f := range []struct {
		name  string
		value int
	}{
		{"year", at.Year()}, {"month", int(at.Month())}, {"day", at.Day()}, {"hour", at.Hour()}, {"min", at.Minute()}, {"sec", at.Second()},
		{"wday", int(at.Weekday()) + 1}, {"yday", at.YearDay()},
	} {
		t.RawSetString(f.name, lua.LNumber(f.value))
	}
	t.RawSetString("isdst", lua.LBool(at.IsDST()))
	return t
}

var dateFormats = map[byte]string{
	'a': "Mon", 'A': "Monday", 'b': "Jan", 'B': "January", 'c': "Mon Jan _2 15:04:05 2006", 'd': "02", 'D': "01/02/06", 'e': "_2",
	'F': "2006-01-02", 'h': "Jan", 'H': "15", 'I': "03", 'j': "002", 'm': "01", 'M': "04", 'n': "\n", 'p': "PM", 'r': "03:04:05 PM",
	'R': "15:04", 'S': "05", 't': "\t", 'T': "15:04:05", 'x': "01/02/06", 'X': "15:04:05", 'y': "06", 'Y': "2006", 'z': "-0700", 'Z': "MST",
}

// strftime knows what C's does in the C locale. The original writes wrong hours for %x and a wrong %a.
func strftime(format string, at time.Time) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		i++
		switch f, ok := dateFormats[format[i]]; {
		case ok:
			b.WriteString(at.Format(f))
		case format[i] == 'w':
			b.WriteByte('0' + byte(at.Weekday()))
		case format[i] == '%':
			b.WriteByte('%')
		default:
			b.WriteString(format[i-1 : i+1])
		}
	}
	return b.String()
}
