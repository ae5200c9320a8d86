package sandbox

import (
	"fmt"
	"runtime"
	"slices"
	"weak"

	lua "github.com/yuin/gopher-lua"
)

// The original lets two coroutines resume each other until the process dies, gives a thread a context of its own that no deadline reaches
// when it was made while loading, never ends for Go functions, and breaks a thread that yields inside a metamethod or an iterator.
var coroutineModule = &Module{
	Name: "coroutine",
	Funcs: map[string]lua.LGFunction{
		"create": coCreate, "resume": coResume, "yield": coYield, "status": coStatus, "wrap": coWrap, "running": coRunning,
		"isyieldable": coIsYieldable,
	},
}

// trampoline is the first function of every thread. Resume puts a Panic function of its own into a thread that starts, so arm puts ours
// back; note counts the results, because Resume makes one nil of none; and a thread whose first function is a Go function never finishes.
var trampoline = func() *lua.FunctionProto {
	chunk, err := Parse("coroutine", []byte("local arm, note, f return function(...) arm() return note(f(...)) end"))
	if err != nil {
		panic(err)
	}
	proto, err := Compile(chunk, "coroutine")
	if err != nil {
		panic(err)
	}
	inner := proto.FunctionPrototypes[0]
	for i := range inner.DbgCalls {
		inner.DbgCalls[i].Name = "?" // tracebacks then name the function by its line
	}
	return inner
}()

var armUpvalue, noteUpvalue = &lua.Upvalue{}, &lua.Upvalue{}

func init() {
	armUpvalue.SetValue(&lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int {
		L.Panic = throwTraced
		return 0
	}})
	noteUpvalue.SetValue(&lua.LFunction{IsG: true, GFunction: func(L *lua.LState) int {
		CallOf(L).handed = L.GetTop()
		return L.GetTop()
	}})
}

func (s *State) newCoroutine(L *lua.LState, fn *lua.LFunction) *lua.LState {
	if most := s.call.limits.Coroutines; len(s.coroutines) >= most && !s.forgetCoroutines(most) {
		raiseLimit(L, fmt.Sprintf("more than %d unfinished coroutines (%s)", most, howTo("coroutines")))
	}
	s.call.spend(L, 200)
	th := s.newThread(throwTraced)
	s.coroutines = append(s.coroutines, weak.Make(th))
	f := &lua.Upvalue{}
	f.SetValue(fn)
	// Kept here until the first resume.
	th.Push(&lua.LFunction{Env: s.env.empty, Proto: trampoline, Upvalues: []*lua.Upvalue{armUpvalue, noteUpvalue, f}})
	return th
}

// forgetCoroutines drops those that finished or that nothing holds any more, and reports whether that made room. An abandoned generator is
// no fault: it counts until the garbage collector has seen it.
func (s *State) forgetCoroutines(most int) bool {
	for range 2 {
		s.coroutines = slices.DeleteFunc(s.coroutines, func(p weak.Pointer[lua.LState]) bool {
			th := p.Value()
			return th == nil || th.Dead
		})
		if len(s.coroutines) <= most/2 {
			return true
		}
		runtime.GC()
	}
	return len(s.coroutines) < most
}

func coCreate(L *lua.LState) int {
	L.Push(CallOf(L).state.newCoroutine(L, checkFunction(L, 1)))
	return 1
}

func coWrap(L *lua.LState) int {
	th := CallOf(L).state.newCoroutine(L, checkFunction(L, 1))
	L.Push(&lua.LFunction{IsG: true, Env: L.Env, GFunction: func(L *lua.LState) int {
		n := L.GetTop()
		if !resume(L, th, 1) {
			c := CallOf(L)
			where := c.where // of the coroutine: better than that of the call of wrap
			defer func() { c.where = where }()
			L.Error(L.Get(-1), 0)
		}
		return L.GetTop() - n
	}})
	return 1
}

func coResume(L *lua.LState) int {
	th := checkThread(L, 1)
	n := L.GetTop()
	ok := resume(L, th, 2)
	L.Insert(lua.LBool(ok), n+1)
	return L.GetTop() - n
}

func checkThread(L *lua.LState, n int) *lua.LState {
	th, ok := L.Get(n).(*lua.LState)
	if !ok {
		typeError(L, n, "coroutine")
	}
	return th
}

// resume runs th with the arguments of L from first on, and pushes its results, or the error alone.
func resume(L *lua.LState, th *lua.LState, first int) bool {
	c := CallOf(L)
	if status := statusOf(L, th); status != "suspended" {
		L.Push(lua.LString("cannot resume " + status + " coroutine"))
		return false
	}
	if c.resumes >= maxResumes {
		raiseLimit(L, fmt.Sprintf("more than %d coroutines resumed inside one another", maxResumes))
	}
	args := make([]lua.LValue, 0, 8)
	for i := first; i <= L.GetTop(); i++ {
		args = append(args, L.Get(i))
	}
	var fn *lua.LFunction
	if inst, _, started := instruction(th, 0); started {
		if n := wanted(inst); n >= 0 { // the VM takes what is pushed, be it too little
			for len(args) < n {
				args = append(args, lua.LNil)
			}
			args = args[:n]
		}
	} else {
		fn, _ = th.Get(1).(*lua.LFunction)
		th.SetTop(0)
		th.Push(fn)
	}
	current := L.G.CurrentThread
	c.resumes++
	results, err := safeResume(L, th, fn, args)
	c.resumes--
	L.G.CurrentThread = current
	c.chargeStack(L, th)
	if err != nil {
		value := c.resumeError(err)
		c.reraise(L)
		c.noteCaught(value)
		L.Push(value)
		return false
	}
	c.reraise(L)
	for _, v := range results[:min(len(results), c.handed)] {
		L.Push(v)
	}
	return true
}

// safeResume kills a thread whose stack has no room for the arguments: that error is raised before Resume protects anything.
func safeResume(L, th *lua.LState, fn *lua.LFunction, args []lua.LValue) (results []lua.LValue, err error) {
	defer func() {
		rcv := recover()
		if rcv == nil {
			return
		}
		th.Dead, th.Parent = true, nil
		ae, ok := rcv.(*lua.ApiError)
		if !ok {
			ae = &lua.ApiError{Type: lua.ApiErrorPanic, Object: lua.LString(fmt.Sprint(rcv))}
		}
		results, err = nil, ae
	}()
	_, err, results = L.Resume(th, fn, args...)
	return results, err
}

// chargeStack charges what the stack of a coroutine grew by: it stays that large for as long as somebody holds the coroutine.
func (c *Call) chargeStack(L, th *lua.LState) {
	size := stackSize(th)
	if size <= smallStack || size <= c.stacks[th] {
		return
	}
	if c.stacks == nil {
		c.stacks = map[*lua.LState]int{}
	}
	grown := size - max(c.stacks[th], smallStack)
	c.stacks[th] = size
	c.Charge(L, 16*grown)
}

const smallStack = 2_048 // values that every coroutine may have for nothing

// resumeError returns the value that a coroutine died of. Resume makes a text of a Go panic too: what was not thrown is one.
func (c *Call) resumeError(err error) lua.LValue {
	ae, ok := err.(*lua.ApiError)
	if !ok {
		c.crash(err.Error(), "")
		return lua.LNil
	}
	if ae.Object == c.thrown {
		return ae.Object
	}
	value, _ := c.errorValue(nil, &lua.ApiError{Type: lua.ApiErrorPanic, Object: ae.Object})
	return value
}

// statusOf says what coroutine.status does. A thread has a parent while it runs or waits for one that it resumed.
func statusOf(L, th *lua.LState) string {
	switch {
	case th.Dead:
		return "dead"
	case th == L.G.CurrentThread:
		return "running"
	case th == L.G.MainThread || th.Parent != nil:
		return "normal"
	}
	return "suspended"
}

func coStatus(L *lua.LState) int {
	L.Push(lua.LString(statusOf(L, checkThread(L, 1))))
	return 1
}

func coRunning(L *lua.LState) int {
	if L.G.CurrentThread == L.G.MainThread {
		L.Push(lua.LNil)
	} else {
		L.Push(L.G.CurrentThread)
	}
	return 1
}

func coYield(L *lua.LState) int {
	if why := unyieldable(L); why != "" {
		L.RaiseError("%s", why)
	}
	CallOf(L).handed = L.GetTop()
	return -1
}

func coIsYieldable(L *lua.LState) int {
	L.Push(lua.LBool(unyieldable(L) == ""))
	return 1
}

// unyieldable says why the Go function that runs in L may not yield; "" when it may.
func unyieldable(L *lua.LState) string {
	switch {
	case L.G.CurrentThread == L.G.MainThread:
		return "attempt to yield from outside a coroutine"
	case L != L.G.CurrentThread:
		return "attempt to yield across pcall"
	}
	for level := 1; ; level++ {
		inst, isGo, ok := instruction(L, level)
		switch {
		case !ok:
			return ""
		case isGo:
			return "attempt to yield across a library function"
		case opcode(inst) != lua.OP_CALL:
			return "attempt to yield across a metamethod or an iterator"
		}
	}
}
