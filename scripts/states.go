package scripts

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/luabind/sandbox"
)

// states makes the Lua states for the calls of one file's tools, and holds those that serve again. All may be used concurrently.
type states struct {
	env     *sandbox.Env
	require func(string) (*lua.FunctionProto, error)
	proto   *lua.FunctionProto // the lean one
	file    string
	count   int // of tools in the file
	limits  sandbox.Limits
	running *gate

	maxResult int64 // bytes, where a tool says nothing; 0: the default

	pool pool

	// line is held by the call that uses kept: keep tools run one after the other.
	line chan struct{}
	kept *ready

	mu      sync.Mutex
	retired bool // a reload replaced the file: nothing is stored any more
}

// ready is a state with the file's top level run.
type ready struct {
	state  *sandbox.State
	values []lua.LValue // what the file returned

	recorded bool  // the sandbox noted what it holds
	served   int   // calls
	tool     *Tool // of the call; nil for keep
}

func newStates(l *loader, f *file, proto *lua.FunctionProto) *states {
	return &states{env: l.env, require: l.modules.require, proto: proto, file: f.src.file, count: len(f.tools),
		limits: l.options.Limits, maxResult: l.options.MaxResult, running: l.running, line: make(chan struct{}, 1), pool: pool{off: l.options.NoReuse, tell: l.options.Leftover}}
}

// take returns a state for one call; give must follow. With keep it waits until the calls before it have ended.
func (s *states) take(ctx context.Context, c *call, keep bool) (*ready, error) {
	if !keep {
		if r := s.pool.take(); r != nil {
			r.tool = c.tool
			return r, nil
		}
		r, err := s.fresh(ctx, c.left())
		if err == nil {
			r.tool = c.tool
			s.pool.record(r, s.count)
		}
		return r, err
	}
	if err := s.queue(ctx, c); err != nil {
		return nil, err
	}
	if s.kept != nil {
		return s.kept, nil
	}
	r, err := s.fresh(ctx, c.left())
	if err != nil {
		<-s.line
		return nil, err
	}
	s.kept = r
	return r, nil
}

// queue waits for the kept state.
func (s *states) queue(ctx context.Context, c *call) error {
	select {
	case s.line <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(c.left().Wall)
	defer timer.Stop()
	select {
	case s.line <- struct{}{}:
		return nil
	case <-ctx.Done():
		return c.stopped(ctx)
	case <-timer.C:
		return c.stopped(context.Background())
	}
}

// fresh makes a state and runs the file's lean prototype in it.
func (s *states) fresh(ctx context.Context, limits sandbox.Limits) (r *ready, err error) {
	state := newState(s)
	defer func() {
		if p := recover(); p != nil {
			err = crash(p, s.file, 0)
		}
		if err != nil {
			closeState(state)
			r = nil
		}
	}()
	state.Require = s.require
	limits.Wall = min(limits.Wall, loadWall)
	state.Begin(ctx, sandbox.Lean, limits, nil)
	defer state.End()
	values, err := state.Run(s.proto)
	if err != nil {
		return nil, err
	}
	for i := range s.count {
		if _, n, ok := luabind.FunctionsOf(values, i); !ok || n != s.count {
			return nil, errors.New("the file returned other tools than the first time: its top level must always do the same")
		}
	}
	return &ready{state: state, values: values}, nil
}

// rehearse makes a state as a call would, so that a file which cannot be run again fails when it is loaded.
func (s *states) rehearse(ctx context.Context) error {
	limits := s.limits
	limits.Wall = loadWall
	r, err := s.fresh(ctx, limits)
	if err == nil {
		closeState(r.state)
	}
	return err
}

// give takes a state back after a call that ended with err. What a tool raised for the model does not cost it its kept state; any other
// fault does.
func (s *states) give(r *ready, keep bool, err error) {
	if !keep {
		if err != nil {
			closeState(r.state)
		} else {
			s.pool.put(r)
		}
		return
	}
	f, ok := errors.AsType[*sandbox.Fault](err)
	if raised := ok && f.Kind == sandbox.Raised; r.state.Dead() || err != nil && !raised {
		s.kept = nil
		closeState(r.state)
	}
	<-s.line
	if s.isRetired() {
		s.drop()
	}
}

func (s *states) isRetired() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.retired
}

// retire lets go of the stored states when a reload has replaced the file. Calls that run, or begin on an old snapshot, are not
// disturbed; their states are thrown away when they end.
func (s *states) retire() {
	s.mu.Lock()
	s.retired = true
	s.mu.Unlock()
	s.pool.retire()
	s.drop()
}

// drop closes the kept state, unless a call holds it: that call drops it when it gives it back.
func (s *states) drop() {
	select {
	case s.line <- struct{}{}:
		if s.kept != nil {
			closeState(s.kept.state)
			s.kept = nil
		}
		<-s.line
	default:
	}
}

// live counts the states that are not closed, for tests that look for leaks.
var live atomic.Int64

func newState(s *states) *sandbox.State {
	live.Add(1)
	return s.env.NewState()
}

func closeState(s *sandbox.State) {
	live.Add(-1)
	s.Close()
}
