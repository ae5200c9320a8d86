package sandbox

import (
	"context"
	"fmt"
	"runtime/debug"
	"weak"

	lua "github.com/yuin/gopher-lua"
)

// State is one hardened Lua state with the call it runs. One user at a time.
type State struct {
	L *lua.LState
	// Require finds the compiled module for require "lib.x"; nil means that there are none. Results are cached in the state.
	Require func(name string) (*lua.FunctionProto, error)

	env        *Env
	call       Call
	spare      []*lua.LState // threads for pcall, ready for use
	matcher    *matcher      // of patterns, ready for use
	loaded     map[string]lua.LValue
	loading    []string // modules whose top level runs, outermost first
	coroutines []weak.Pointer[lua.LState]
	dead       bool
	snapshot   snapshot
}

var mainOptions = lua.Options{
	SkipOpenLibs:        true,
	CallStackSize:       maxFrames,
	MinimizeStackMemory: true,
	RegistrySize:        256,
	RegistryMaxSize:     maxRegistry,
	RegistryGrowStep:    1024,
	IncludeGoStackTrace: true, // of a Go panic, for Fault.Panic
}

var threadOptions = func() lua.Options {
	o := mainOptions
	o.RegistrySize = 128 // the least that is taken as given
	return o
}()

// NewState makes a state on env: some 2 µs, 15 KB.
func (e *Env) NewState() *State {
	s := &State{L: lua.NewState(mainOptions), env: e}
	s.call.state = s
	s.call.fault, s.call.left = errNotBegun, -1
	L := s.L
	L.Env, L.G.Global = e.empty, e.empty
	L.G.MainThread, L.G.CurrentThread = L, L
	L.Options = threadOptions
	L.Panic = throwTraced
	L.SetMetatable(lua.LString(""), e.strings)
	L.SetContext(&s.call)
	return s
}

// newThread makes a Lua thread of s. NewThread of gopher-lua would derive a context of its own, with a goroutine that calls Done.
func (s *State) newThread(panics func(*lua.LState)) *lua.LState {
	th := lua.NewState(threadOptions)
	th.G, th.Env = s.L.G, s.env.empty
	th.Panic = panics
	th.SetContext(&s.call)
	return th
}

// Env returns the environment of the state.
func (s *State) Env() *Env { return s.env }

// Begin sets what the next runs count against; End lets go of it. ctx is the parent whose cancellation stops the Lua code. Loading a file
// and calling it are runs of their own: each begins and ends.
func (s *State) Begin(ctx context.Context, mode Mode, l Limits, data any) *Call {
	s.call.begin(ctx, mode, l, data)
	return &s.call
}

// End lets go of what Begin was given. Running code outside Begin and End is a fault of kind Crashed.
func (s *State) End() { s.call.end() }

// Run runs a compiled chunk and returns its results.
func (s *State) Run(proto *lua.FunctionProto, args ...lua.LValue) ([]lua.LValue, error) {
	return s.Call(s.function(proto), args...)
}

func (s *State) function(proto *lua.FunctionProto) *lua.LFunction {
	return &lua.LFunction{Env: s.env.empty, Proto: proto, Upvalues: make([]*lua.Upvalue, proto.NumUpvalues)}
}

// Call calls a Lua function. It recovers from everything; an error is a *Fault. After a Raised or Broken one the machine is sound, but what
// the call changed stays changed; after any other the state is dead.
func (s *State) Call(fn *lua.LFunction, args ...lua.LValue) (results []lua.LValue, err error) {
	c := &s.call
	if s.dead {
		return nil, &Fault{Kind: Crashed, Message: "the state is dead"}
	}
	defer func() {
		if rcv := recover(); rcv != nil {
			c.crash(fmt.Sprint(rcv), string(debug.Stack()))
			results, err = nil, s.fail(c.fault)
		}
	}()
	if c.fault != nil { // over before it began: nothing ran
		copied := *c.fault
		return nil, &copied
	}
	L := s.L
	L.Push(enterMain)
	L.Push(fn)
	for _, arg := range args {
		L.Push(arg)
	}
	if err := L.PCall(len(args)+1, lua.MultRet, nil); err != nil {
		return nil, s.fail(s.caught(L, err))
	}
	if c.fault != nil {
		return nil, s.fail(c.fault)
	}
	if n := L.GetTop(); n > 0 {
		results = make([]lua.LValue, n)
		for i := range results {
			results[i] = L.Get(i + 1)
		}
		L.SetTop(0)
	}
	return results, nil
}

// caught makes a fault of what PCall returned on the main thread.
func (s *State) caught(L *lua.LState, err error) *Fault {
	c := &s.call
	value, ok := c.errorValue(L, err)
	if !ok {
		s.dead = true
	}
	return s.describe(c.translate(value), value)
}

// describe asks the __tostring of an error object that has no message, within the limits of the call.
func (s *State) describe(f *Fault, value lua.LValue) *Fault {
	t, ok := value.(*lua.LTable)
	if !ok || f.Kind != Broken || s.dead {
		return f
	}
	fn, ok := s.L.GetMetaField(t, "__tostring").(*lua.LFunction)
	if !ok {
		return f
	}
	s.L.Push(enterMain)
	s.L.Push(fn)
	s.L.Push(t)
	err := s.L.PCall(2, 1, nil)
	if s.call.fault != nil {
		return s.call.fault
	}
	if err != nil {
		return f
	}
	text, ok := plainText(s.L.Get(1))
	s.L.SetTop(0)
	if ok {
		f = &Fault{Kind: Raised, Message: text, File: f.File, Line: f.Line, Traceback: f.Traceback}
	}
	return f
}

func (s *State) fail(f *Fault) error {
	if f.Kind != Raised && f.Kind != Broken {
		s.dead = true
	}
	copied := *f
	return &copied
}

// Dead reports whether the state must not run again.
func (s *State) Dead() bool { return s.dead }

// Close gives back what the state holds. The state must not be used afterwards.
func (s *State) Close() {
	s.call.end()
	if !s.dead {
		s.L.Close()
		for _, th := range s.spare {
			th.Close()
		}
	}
	s.dead = true
	s.spare, s.loaded, s.snapshot = nil, nil, snapshot{}
}
