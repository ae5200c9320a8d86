package luabind

import (
	"math"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/protocol/nearest"
)

// CallInfo is what a call carries into Lua; the Data of its sandbox.Call points at one. Hosts fill it in. Every func may be nil;
// they are called by the goroutine that runs the call, one at a time.
type CallInfo struct {
	Tool, Server, CallID, ToolUseID string
	Deadline                        time.Time
	Progress                        func(done, total float64, message string) // total 0: unknown
	Log                             func(level, message string)               // print and log.*; level debug, info, warn or error
}

// NewContext returns the ctx value of a call. It serves only while info's call runs.
func NewContext(L *lua.LState, info *CallInfo) lua.LValue { return wrap(info, contextMetatable) }

var contextMetatable = makeContextMetatable()

// contextFields are the names of ctx, for suggestions.
var contextFields = []string{"tool", "server", "call_id", "tool_use_id", "deadline", "progress", "sleep", "cancelled"}

func makeContextMetatable() *lua.LTable {
	mt := opaque("ctx")
	methods := map[string]*lua.LFunction{
		"progress": goFunction(contextProgress), "sleep": goFunction(contextSleep), "cancelled": goFunction(contextCancelled),
	}
	mt.RawSetString("__index", goFunction(func(L *lua.LState) int {
		info, ok := asContext(L.Get(1))
		name, isString := L.Get(2).(lua.LString)
		if !ok || !isString {
			raise(L, "ctx has no field "+keyText(L.Get(2)))
		}
		if method := methods[string(name)]; method != nil {
			L.Push(method)
			return 1
		}
		v, known := info.field(string(name))
		if !known {
			raise(L, "ctx has no field "+keyText(name)+nearest.Hint(string(name), contextFields))
		}
		L.Push(v)
		return 1
	}))
	return mt
}

func asContext(v lua.LValue) (*CallInfo, bool) {
	if ud, ok := v.(*lua.LUserData); ok {
		info, ok := ud.Value.(*CallInfo)
		return info, ok && info != nil
	}
	return nil, false
}

func (c *CallInfo) field(name string) (v lua.LValue, known bool) {
	switch name {
	case "tool":
		return optional(c.Tool), true
	case "server":
		return optional(c.Server), true
	case "call_id":
		return optional(c.CallID), true
	case "tool_use_id":
		return optional(c.ToolUseID), true
	case "deadline":
		if c.Deadline.IsZero() {
			return lua.LNil, true
		}
		return lua.LNumber(float64(c.Deadline.UnixMilli()) / 1000), true
	}
	return lua.LNil, false
}

func optional(s string) lua.LValue {
	if s == "" {
		return lua.LNil
	}
	return lua.LString(s)
}

// receiver returns the ctx that a method was called on, and its call.
func receiver(L *lua.LState, method string) (*CallInfo, *sandbox.Call) {
	info, ok := asContext(L.Get(1))
	if !ok {
		raise(L, "ctx:"+method+": call it with a colon, got "+got(L.Get(1))+" for ctx")
	}
	sandbox.RequireRunning(L, "ctx:"+method)
	c := sandbox.CallOf(L)
	if c == nil || c.Data != any(info) {
		raise(L, "ctx:"+method+": this ctx belongs to a call that has ended")
	}
	return info, c
}

// ctx:progress{ done =, total =, message = } tells how far the call is.
func contextProgress(L *lua.LState) int {
	const fn = "ctx:progress"
	info, _ := receiver(L, "progress")
	t, ok := L.Get(2).(*lua.LTable)
	if !ok {
		raise(L, fn+": want a table { done =, total =, message = }, got "+got(L.Get(2)))
	}
	if message := unknownKey(t, "field", []string{"done", "total", "message"}); message != "" {
		raise(L, fn+": "+message)
	}
	done, total := amount(L, t, "done"), amount(L, t, "total")
	message := ""
	switch v := t.RawGetString("message").(type) {
	case *lua.LNilType:
		if t.RawGetString("done") == lua.LNil {
			raise(L, fn+": want done or message")
		}
	case lua.LString:
		message = valid(string(v[:min(len(v), maxLogLine)]))
	default:
		raise(L, fn+": message: want a string, got "+got(v))
	}
	if info.Progress != nil {
		info.Progress(done, total, message)
	}
	return 0
}

func amount(L *lua.LState, t *lua.LTable, name string) float64 {
	switch v := t.RawGetString(name).(type) {
	case *lua.LNilType:
		return 0
	case lua.LNumber:
		if f := float64(v); f >= 0 && !math.IsInf(f, 0) {
			return f
		}
		raise(L, "ctx:progress: "+name+": want a number from 0 on, got "+v.String())
	default:
		raise(L, "ctx:progress: "+name+": want a number, got "+got(v))
	}
	return 0
}

// ctx:sleep("2s") waits; the call's end, by time or by cancellation, ends the wait at once.
func contextSleep(L *lua.LState) int {
	_, c := receiver(L, "sleep")
	d, complaint := parseDuration(L.Get(2))
	if complaint != "" {
		if n, ok := L.Get(2).(lua.LNumber); ok && n == 0 {
			return 0
		}
		raise(L, "ctx:sleep: "+complaint)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	ctx := c.Context()
	select {
	case <-timer.C:
	case <-ctx.Done():
		c.Check(L)
		// The context ends at the deadline, the call behind it: the clock may stand between the two.
		time.Sleep(time.Nanosecond)
		c.Check(L)
		raise(L, "ctx:sleep: "+strings.TrimPrefix(ctx.Err().Error(), "context "))
	}
	return 0
}

// ctx:cancelled() reports whether the call is to end. Lua code is stopped by itself; this is for code that wants to know why it hurries.
func contextCancelled(L *lua.LState) int {
	_, c := receiver(L, "cancelled")
	L.Push(lua.LBool(c.Context().Err() != nil))
	return 1
}
