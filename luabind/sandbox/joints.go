// Package sandbox makes Lua states that cannot hurt the host: chosen library functions, shared read-only between all states,
// limits that a call cannot swallow, and errors that say whose fault they are.
package sandbox

import (
	"context"
	"errors"
	"time"

	lua "github.com/yuin/gopher-lua"
)

var errTODO = errors.New("not built yet")

// Mode says what a state is doing, so that a function can refuse to work.
type Mode uint8

const (
	Loading Mode = iota // the top level of a file runs, for its declarations: tool{} and param.* do their whole work
	Lean                // the top level runs again in a fresh state before a call: tool{} keeps only its functions, param.* answer true
	Calling             // a tool's run function runs
	Pure                // confirm and enabled functions run: no clock, chance or world
)

// Limits bounds one run of Lua code. A zero field means its default.
type Limits struct {
	Wall        time.Duration // default 60 s
	Steps       int64         // VM instructions, default 2e9
	Bytes       int64         // charged by library functions, default 64 MiB
	StringBytes int           // one string, default 16 MiB
}

// Module is one library as Lua sees it: a read-only table of functions under a global name (several for base: Name "").
// Functions are stateless: they find their call by CallOf.
type Module struct {
	Name   string
	Funcs  map[string]lua.LGFunction
	Values map[string]lua.LValue // constants and nested read-only values
	Call   lua.LGFunction        // makes the module callable; nil when it is not
	Needs  string                // the right it needs ("net", "db", …); empty when it is always there
}

// Call is the context of a running state. It implements context.Context: the VM calls Done once an instruction, which counts the steps.
// It must never reach Go code that blocks: hand that Context().
type Call struct {
	Mode Mode
	Data any // what luabind hangs on the call
	// unexported: steps, charged bytes, deadline, parent
}

// CallOf returns the call that runs in L.
func CallOf(L *lua.LState) *Call { return nil }

// Context returns a plain context with the call's deadline and cancellation, for Go functions that block.
func (c *Call) Context() context.Context { return nil }

// Charge counts n bytes of memory made for the call and raises when the call has used up what it may.
func (c *Call) Charge(L *lua.LState, n int) {}

// Check raises when the call is over its time, its steps or is cancelled. Library functions with loops call it now and then.
func (c *Call) Check(L *lua.LState) {}

// RequireRunning raises "<what> works only inside run" unless the mode is Calling.
func RequireRunning(L *lua.LState, what string) {}

// Env is the environment of the states of one file: base, standard libraries and modules, built once, read-only, shared by any number of
// states at once.
type Env struct{}

// NewEnv builds an environment of the standard libraries and mods.
func NewEnv(mods []*Module) *Env { return nil }

// Has reports whether name is a global of the environment; Near returns the nearest one for an unknown name, or "".
func (e *Env) Has(name string) bool    { return false }
func (e *Env) Near(name string) string { return "" }

// State is one hardened Lua state with the call it runs. One user at a time.
type State struct {
	L *lua.LState
	// Require finds the compiled module for require "lib.x"; nil means that there are none. Results are cached in the state.
	Require func(name string) (*lua.FunctionProto, error)
}

// NewState makes a state on env: some 2 µs, 14 KB.
func (e *Env) NewState() *State { return nil }

// Begin sets what the next runs count against; End lets go of it. ctx is the parent whose cancellation stops the Lua code.
func (s *State) Begin(ctx context.Context, mode Mode, l Limits, data any) *Call { return nil }
func (s *State) End()                                                           {}

// Run runs a compiled chunk and returns its results. Call calls a Lua function. Both recover from everything; an error is a *Fault, and
// after one the state must not be used again (Dead reports true).
func (s *State) Run(proto *lua.FunctionProto) ([]lua.LValue, error) { return nil, errTODO }
func (s *State) Call(fn *lua.LFunction, args ...lua.LValue) ([]lua.LValue, error) {
	return nil, errTODO
}
func (s *State) Dead() bool { return false }
func (s *State) Close()     {}

// FaultKind says whose fault an error is.
type FaultKind uint8

const (
	Raised    FaultKind = iota // error("message"), error{ message=… }, assert(x, msg): meant for the model
	Broken                     // any other Lua error: the tool has a fault
	Timeout                    // over Limits.Wall
	Cancelled                  // the parent context was cancelled
	Limit                      // steps, bytes, string size, stack
	Denied                     // a person or a rule said no (ctx:confirm): ends the call
	Crashed                    // a Go panic
)

// Fault is an error out of Lua code.
type Fault struct {
	Kind      FaultKind
	Message   string // Raised, Denied: as given, without position; else one plain sentence
	Hint      string // of error{ hint = … }
	File      string // chunk name as compiled, e.g. "tools/greet.lua"
	Line      int
	Traceback string // Lua traceback, for the author
}

func (f *Fault) Error() string { return f.Message }

// Deny ends the call as denied: pcall cannot catch it.
func Deny(L *lua.LState, message string) {}
