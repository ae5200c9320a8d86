package sandbox

import (
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// enterMain and enterThread stand between PCall and the function it calls: PCall sets a Panic function of its own, which has it format a
// traceback for every error.
var enterMain, enterThread *lua.LFunction

func init() {
	enterMain = &lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int { return enter(L, throwTraced) }}
	enterThread = &lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int { return enter(L, throw) }}
}

func enter(L *lua.LState, panics func(*lua.LState)) int {
	L.Panic = panics
	L.Call(L.GetTop()-1, lua.MultRet)
	return L.GetTop()
}

// basePCall runs a function on a thread of its own. The original runs it on the caller's, and an error closes the upvalues of every frame
// of the thread, those of the callers that live on too: their locals and the closures that share them part ways.
func basePCall(L *lua.LState) int {
	L.CheckAny(1)
	ok, _ := protect(L, L.GetTop())
	if !ok {
		L.Insert(lua.LFalse, 1)
		return 2
	}
	L.Insert(lua.LTrue, 1)
	return L.GetTop()
}

// baseXPCall calls the handler after the stack was unwound, on a thread of its own. The original leaves open upvalues behind that point at
// registers which others use by then.
func baseXPCall(L *lua.LState) int {
	L.CheckAny(1)
	handler := L.CheckFunction(2)
	L.Remove(2)
	if ok, _ := protect(L, L.GetTop()); ok {
		L.Insert(lua.LTrue, 1)
		return L.GetTop()
	}
	L.Insert(handler, 1)
	protect(L, 2) // an error of the handler is the result, as it is
	L.Insert(lua.LFalse, 1)
	return L.GetTop()
}

// protect calls the function that lies under the topmost n-1 values of L, all of what L has, with them. It leaves the results, or the error
// alone. The call's own end is never caught.
func protect(L *lua.LState, n int) (ok bool, err error) {
	c := CallOf(L)
	s := c.state
	if c.protected >= maxProtected {
		raiseLimit(L, fmt.Sprintf("more than %d pcalls inside one another", maxProtected))
	}
	c.protected++
	th := s.takeThread()
	th.Push(enterThread)
	L.XMoveTo(th, n)
	err = th.PCall(n, lua.MultRet, nil)
	c.protected--
	if err == nil {
		c.reraise(L)
		th.XMoveTo(L, th.GetTop())
		s.giveBack(th)
		return true, nil
	}
	value, sound := c.errorValue(th, err)
	c.reraise(L)
	if sound {
		s.giveBack(th)
	}
	c.noteCaught(value)
	L.Push(value)
	return false, err
}

func (s *State) takeThread() *lua.LState {
	if n := len(s.spare); n > 0 {
		th := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return th
	}
	return s.newThread(throw)
}

func (s *State) giveBack(th *lua.LState) {
	if stackSize(th) <= maxReuseRegistry {
		s.spare = append(s.spare, th)
	}
}

// errorValue returns the value that PCall on L recovered. A thread that panicked in Go is not sound: its upvalues are still open, so it is
// not used again. Only the stack overflow, which is a Go panic, goes on as an error of Lua; any other ends the call.
func (c *Call) errorValue(L *lua.LState, err error) (value lua.LValue, sound bool) {
	ae, ok := err.(*lua.ApiError)
	if !ok {
		c.crash(err.Error(), "")
		return lua.LNil, false
	}
	if ae.Type != lua.ApiErrorPanic {
		return ae.Object, true
	}
	text := ae.Object.String()
	if strings.HasPrefix(text, goStackOverflow) {
		return c.overflow(), false
	}
	c.crash(text, ae.StackTrace)
	return lua.LNil, false
}

// goStackOverflow is what the growing call stack of gopher-lua panics with: it never says that it is full.
const goStackOverflow = "lua callstack overflow"

func (c *Call) overflow() lua.LValue {
	value := lua.LString("stack overflow")
	c.last = raised{value, &Fault{Kind: Limit, Message: stackText}}
	return value
}

func (c *Call) crash(text, stack string) {
	c.over(Crashed, "the tool has a fault that the host did not expect; its log says more")
	if c.fault.Kind == Crashed && c.fault.Panic == "" && c.fault != errNotBegun {
		c.fault.Panic = cut(text + "\n" + stack)
	}
}

// chargeCaught charges a long text of an error that was caught: the VM writes the key that it looked for into its texts, however long. Nothing
// is raised; the next instruction ends a call that has used up what it may.
func (c *Call) chargeCaught(value lua.LValue) {
	text, ok := value.(lua.LString)
	if !ok || len(text) <= maxText {
		return
	}
	if c.bytes -= int64(len(text)); c.bytes < 0 {
		c.over(Limit, fmt.Sprintf("%s made more than %s of strings and data (limits.bytes in luatools.lua)", c.what(), sizeText(c.limits.Bytes)))
	}
}

// noteCaught remembers what a runtime error meant, so that error(err, 0) does not make it a message for the model.
func (c *Call) noteCaught(value lua.LValue) {
	c.chargeCaught(value)
	if c.last.fault != nil && c.last.value == value {
		return
	}
	if _, ok := value.(lua.LString); ok {
		c.last = raised{value, c.meaning(value)}
	}
}

// baseError raises any value; a string or number gets the position that level asks for. The original gives none to numbers.
func baseError(L *lua.LState) int {
	value := L.Get(1)
	if _, ok := textOf(value); !ok {
		L.Error(value, 0)
		return 0
	}
	level := 1
	if L.GetTop() >= 2 && L.Get(2) != lua.LNil {
		level = checkInt(L, 2)
	}
	raiseText(L, value, level)
	return 0
}

// baseAssert raises its message as error does, but without position, as in Lua. The original takes strings alone.
func baseAssert(L *lua.LState) int {
	checkAny(L, 1)
	if lua.LVAsBool(L.Get(1)) {
		return L.GetTop()
	}
	if L.Get(2) == lua.LNil {
		L.RaiseError("assertion failed!")
	}
	if text, ok := textOf(L.Get(2)); ok {
		raiseText(L, lua.LString(text), 0)
	}
	L.Error(L.Get(2), 0)
	return 0
}

// raiseText raises a string or number, with the position of a level above 0. What was caught before keeps what it meant.
func raiseText(L *lua.LState, value lua.LValue, level int) {
	c := CallOf(L)
	text, _ := textOf(value)
	file, line := frameAt(L, max(level, 1))
	f := &Fault{Kind: Raised, Message: text, File: file, Line: line}
	if c.last.fault != nil && c.last.value == value {
		f = c.last.fault
	}
	if level > 0 && line > 0 {
		value = lua.LString(prefix(file, line) + text)
	}
	c.Charge(L, len(text))
	raiseAs(L, value, f)
}

func textOf(v lua.LValue) (string, bool) {
	switch v := v.(type) {
	case lua.LString:
		return string(v), true
	case lua.LNumber:
		return numberText(v), true
	}
	return "", false
}
