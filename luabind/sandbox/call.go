package sandbox

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Mode says what a state is doing, so that a function can refuse to work.
type Mode uint8

const (
	Loading Mode = iota // the top level of a file runs, for its declarations: tool{} and param.* do their whole work
	Lean                // the top level runs again in a fresh state before a call: tool{} keeps only its functions, param.* answer true
	Calling             // a tool's run function runs
	Pure                // confirm and enabled functions run: no clock, chance or world
)

// Call is the context of a running state. It implements context.Context: the VM calls Done once an instruction, which counts the steps.
// It must never reach Go code that blocks: hand that [Call.Context]. A Call is valid from [State.Begin] to [State.End] and belongs to the
// goroutine that runs the state; only Cancel may be called from others.
type Call struct {
	Mode Mode
	Data any // what luabind hangs on the call

	Logged int // bytes that the call wrote to its log, for luabind to bound

	// left counts down to the next look at clock, parent and steps; done is what Done answers then.
	left, window int64
	steps, bytes int64 // not yet used
	deadline     time.Time
	looked       time.Time
	limits       Limits
	parent       context.Context
	parentDone   <-chan struct{}
	state        *State
	stopped      atomic.Bool // stop is set
	fault        *Fault      // why the call is over; nil while it runs

	thrown lua.LValue // the last value raised, by whomever
	last   raised     // the last value raised on purpose, or caught
	where  place      // of the last error that was not raised under pcall

	protected, resumes int
	handed             int                 // values of the last yield or return of a coroutine
	stacks             map[*lua.LState]int // charged values of the stacks of coroutines
	random             *rand.Rand
	memory             memory

	mu      sync.Mutex // guards what follows
	ctx     context.Context
	release context.CancelFunc
	stop    string // why another goroutine wants the call to end
}

// place is where an error was raised.
type place struct {
	file      string
	line      int
	traceback string
}

// The clock is looked at every few instructions: one instruction may compare two strings of 16 MiB, fill an array up to its largest index or
// count back over its nils, which takes milliseconds. So the window opens slowly and shuts at once.
const (
	firstWindow = 8
	usualWindow = 32
	slowWindow  = 2
	slowAfter   = time.Millisecond
)

var closed = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// CallOf returns the call that runs in L.
func CallOf(L *lua.LState) *Call {
	c, _ := L.Context().(*Call)
	return c
}

func (c *Call) begin(ctx context.Context, mode Mode, l Limits, data any) {
	l = l.withDefaults()
	now := time.Now()
	c.Mode, c.Data, c.Logged = mode, data, 0
	c.limits, c.steps, c.bytes = l, l.Steps, l.Bytes
	c.looked, c.deadline = now, now.Add(l.Wall)
	c.parent, c.parentDone = ctx, ctx.Done()
	c.fault, c.thrown, c.last, c.where = nil, nil, raised{}, place{}
	c.protected, c.resumes, c.random, c.stacks = 0, 0, nil, nil
	c.memory.begin(now)
	c.mu.Lock()
	c.stop = ""
	c.stopped.Store(false)
	c.mu.Unlock()
	c.window = min(firstWindow, c.steps)
	c.left = c.window
	c.look() // a parent that is done already stops the first instruction
}

func (c *Call) end() {
	c.mu.Lock()
	if c.release != nil {
		c.release()
	}
	c.ctx, c.release = nil, nil
	c.mu.Unlock()
	if c.memory.watched {
		heap.remove(c)
	}
	c.Data, c.parent, c.parentDone, c.random, c.stacks = nil, nil, nil, nil, nil
	c.thrown, c.last = nil, raised{}
	c.fault, c.left = errNotBegun, -1
}

var errNotBegun = &Fault{Kind: Crashed, Message: "Lua code ran outside a call"}

// Done is called by the VM before each instruction. It answers a closed channel when the call is over.
func (c *Call) Done() <-chan struct{} {
	if c.left--; c.left >= 0 {
		return nil
	}
	if c.look(); c.fault != nil {
		return closed
	}
	return nil
}

// Err returns nil while the call runs, and its fault afterwards.
func (c *Call) Err() error {
	if c.fault != nil {
		return c.fault
	}
	return nil
}

// Deadline returns when the call will be stopped.
func (c *Call) Deadline() (time.Time, bool) { return c.deadline, true }

// Value returns nil: nothing hangs on the chain of a counting context.
func (c *Call) Value(any) any { return nil }

// look settles the steps since the last look and ends the call when it is over one of its bounds.
func (c *Call) look() {
	if c.fault != nil {
		c.left = -1
		return
	}
	c.steps -= c.window - c.left
	now := time.Now()
	window := min(2*max(c.window, 1), usualWindow)
	if now.Sub(c.looked) > slowAfter {
		window = slowWindow
	}
	c.looked = now
	c.window = max(0, min(window, c.steps))
	c.left = c.window
	if now.After(c.memory.from) {
		c.watchHeap(now)
	}
	switch {
	case c.steps <= 0:
		c.over(Limit, fmt.Sprintf("%s ran more than %d steps of Lua (%s)", c.what(), c.limits.Steps, howTo("steps")))
	case !now.Before(c.deadline):
		c.timeout()
	default:
		c.lookOutside()
	}
}

func (c *Call) lookOutside() {
	select {
	case <-c.parentDone:
		if errors.Is(c.parent.Err(), context.DeadlineExceeded) {
			c.timeout()
		} else {
			c.over(Cancelled, c.what()+" was cancelled")
		}
		return
	default:
	}
	if c.stopped.Load() {
		c.mu.Lock()
		stop := c.stop
		c.mu.Unlock()
		if stop != "" {
			c.over(Limit, stop)
		}
	}
}

func (c *Call) timeout() {
	c.over(Timeout, fmt.Sprintf("%s took longer than %s (timeout in the tool, or --timeout)", c.what(), secondsText(c.limits.Wall)))
}

func secondsText(d time.Duration) string { return fmt.Sprintf("%g s", d.Seconds()) }

func (c *Call) what() string {
	if c.Mode == Loading || c.Mode == Lean {
		return "loading the file"
	}
	return "the call"
}

// over ends the call; what raised it first counts.
func (c *Call) over(kind FaultKind, message string) {
	if c.fault == nil {
		c.fault = &Fault{Kind: kind, Message: message}
	}
	c.left = -1
}

// spend counts n steps of a library function, and raises when the call is over.
func (c *Call) spend(L *lua.LState, n int) {
	if c.left -= int64(n); c.left < 0 {
		c.look()
		c.reraise(L)
	}
}

// reraise raises the call's fault when it has one, so that no function of Lua can go on after it.
func (c *Call) reraise(L *lua.LState) {
	if c.fault != nil {
		L.Error(lua.LString(c.fault.Message), 0)
	}
}

// Used returns how many steps and bytes the call has used up so far.
func (c *Call) Used() (steps, bytes int64) {
	return c.limits.Steps - c.steps + c.window - max(c.left, 0), c.limits.Bytes - c.bytes
}

// Context returns a plain context with the call's deadline and cancellation, for Go functions that block. It ends with the call.
func (c *Call) Context() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx == nil {
		parent := c.parent
		if parent == nil {
			parent = context.Background()
		}
		c.ctx, c.release = context.WithDeadline(parent, c.deadline)
		if c.stop != "" || c.fault != nil {
			c.release()
		}
	}
	return c.ctx
}

// Cancel ends the call soon with a fault of kind Limit and this message. It may be called from any goroutine, for a call that runs.
func (c *Call) Cancel(message string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stop == "" {
		c.stop = message
	}
	c.stopped.Store(true)
	if c.release != nil {
		c.release()
	}
}

// Charge counts n bytes of memory made for the call and raises when the call has used up what it may.
func (c *Call) Charge(L *lua.LState, n int) {
	if c.bytes -= int64(n); c.bytes < 0 {
		c.overBytes()
		c.reraise(L)
	}
	c.spend(L, n>>6)
}

func (c *Call) overBytes() {
	c.over(Limit, fmt.Sprintf("%s made more than %s of strings and data (%s)", c.what(), sizeText(c.limits.Bytes), howTo("bytes")))
}

// Take counts n bytes that Go code makes for the call while no Lua runs, such as its arguments and its result. An error is the *Fault of a
// call that has used up what it may.
func (c *Call) Take(n int) error {
	if c.bytes -= int64(n); c.bytes < 0 {
		c.overBytes()
	}
	return c.Err()
}

// Limits returns what bounds the call, with defaults filled in.
func (c *Call) Limits() Limits { return c.limits }

// ChargeString does what Charge does for one string of n bytes, and raises when the string is too long.
func (c *Call) ChargeString(L *lua.LState, n int) {
	if n > c.limits.StringBytes {
		raiseLimit(L, fmt.Sprintf("a string of more than %s (%s)", sizeText(int64(c.limits.StringBytes)), howTo("string")))
	}
	c.Charge(L, n)
}

// Check raises when the call is over its time, its steps or is cancelled. Library functions with loops call it now and then.
func (c *Call) Check(L *lua.LState) {
	c.look()
	c.reraise(L)
}

// RequireRunning raises "<what> works only inside run" unless the mode is Calling.
func RequireRunning(L *lua.LState, what string) {
	if c := CallOf(L); c == nil || c.Mode != Calling {
		L.RaiseError("%s works only inside run", what)
	}
}
