package luabind

import (
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
	"github.com/luatools/luatools/luabind/sandbox"
)

var logFuncs = map[string]lua.LGFunction{
	"debug": logFunc("debug", " "), "info": logFunc("info", " "), "warn": logFunc("warn", " "), "error": logFunc("error", " "),
}

// printFunc is print: a line of the call's log, never of stdout.
var printFunc = logFunc("info", "\t")

// How much is kept of one line, and of all that one call writes, in bytes.
const (
	maxLogLine = 16 << 10
	maxLog     = 64 << 10
)

const logDropped = "… further output of this call is dropped"

// logFunc writes its arguments, joined by separator, to the log of the call. It works while a file loads too; nobody may listen.
func logFunc(level, separator string) lua.LGFunction {
	return func(L *lua.LState) int {
		info := infoOf(L)
		if info == nil || info.Log == nil {
			return 0
		}
		c := sandbox.CallOf(L)
		if c.Logged > maxLog {
			return 0
		}
		var b strings.Builder
		for i := 1; i <= L.GetTop() && b.Len() <= maxLogLine; i++ {
			if i > 1 {
				b.WriteString(separator)
			}
			s := logText(L, L.Get(i))
			charge(L, min(len(s), maxLogLine))
			b.WriteString(s[:min(len(s), maxLogLine+1)])
		}
		line := b.String()
		if len(line) > maxLogLine {
			line = line[:maxLogLine] + "…"
		}
		// An empty line costs as well.
		if c.Logged += len(line) + 1; c.Logged > maxLog {
			info.Log("warn", logDropped)
			return 0
		}
		info.Log(level, valid(line))
		return 0
	}
}

// logText is a value for people: a plain table as JSON where it has such a form, anything else as tostring writes it.
func logText(L *lua.LState, v lua.LValue) string {
	if t, ok := v.(*lua.LTable); ok && (t.Metatable == lua.LNil || luajson.Marked(t)) {
		text, err := luajson.Append(nil, t, luajson.EncodeOptions{Limits: luajson.Limits{Bytes: maxLogLine, Depth: 20}})
		if err == nil {
			return string(text)
		}
		return "table"
	}
	if _, ok := v.(*lua.LFunction); ok {
		return "function" // its address would differ from run to run
	}
	return sandbox.ToString(L, v)
}

// infoOf returns what the host knows of the running call; nil when nothing is known.
func infoOf(L *lua.LState) *CallInfo {
	c := sandbox.CallOf(L)
	if c == nil {
		return nil
	}
	info, _ := c.Data.(*CallInfo)
	return info
}
