package scripts

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind"
)

const (
	maxIdle    = 16     // idle states of one file
	maxIdleAll = 1024   // of all files of the process: some 25 MB
	maxServed  = 10_000 // calls that one state serves
	maxChanged = 3      // states in a row that a call changed, after which some are made without looking
	unlooked   = 100    // how many
)

// pool keeps the states of one file whose last call left nothing behind; the last used serves first. Whether a call left something is
// looked for in the state itself (sandbox.State.Unchanged): nothing about the source is trusted.
type pool struct {
	off  bool
	tell func(tool, text string) // nil: nobody wants to know

	mu      sync.Mutex
	idle    []*ready
	retired bool // a reload replaced the file: nothing is kept any more
	changed int  // states in a row that were changed
	skip    int  // states that are still to be made without a record, because looking did not pay
	reason  string
	told    []string // what tell was told
}

// idleAll counts the idle states of all pools.
var idleAll atomic.Int64

// take returns an idle state, or nil.
func (p *pool) take() *ready {
	if p.off {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	r := p.idle[n-1]
	p.idle[n-1] = nil
	p.idle = p.idle[:n-1]
	idleAll.Add(-1)
	return r
}

// record notes what a new state holds, if that can pay.
func (p *pool) record(r *ready, count int) {
	if p.off {
		return
	}
	p.mu.Lock()
	skip := p.skip > 0
	if skip {
		p.skip--
	}
	p.mu.Unlock()
	if skip {
		return
	}
	roots := make([]lua.LValue, 0, 8)
	for i := range count {
		f, _, _ := luabind.FunctionsOf(r.values, i)
		roots = append(roots, f.Run)
		if f.Confirm != nil {
			roots = append(roots, f.Confirm)
		}
	}
	r.state.Record(roots...)
	r.recorded = true
}

// put takes back a state whose call returned without a fault, and closes it unless it can serve again.
func (p *pool) put(r *ready) {
	if r.served++; !r.recorded || r.served >= maxServed {
		closeState(r.state)
		return
	}
	ok, reason := unchanged(r)
	if !p.keep(r, ok, reason) {
		closeState(r.state)
	}
	if !ok && p.tell != nil && r.tool != nil {
		p.tellOnce(r.tool.Server+"/"+r.tool.Name, reason)
	}
}

// maxTold bounds how much is told of the tools of one file: a cache has a key of its own for every call.
const maxTold = 20

func (p *pool) tellOnce(tool, reason string) {
	text := "the Lua state of a call cannot serve again: " + reason
	if strings.HasPrefix(reason, "local `") || strings.HasPrefix(reason, "module `") {
		text = reason + " was changed by a call; the change is lost: use keep = true"
	}
	p.mu.Lock()
	told := len(p.told) >= maxTold || slices.Contains(p.told, tool+text)
	if !told {
		p.told = append(p.told, tool+text)
	}
	p.mu.Unlock()
	if !told {
		p.tell(tool, text)
	}
}

func unchanged(r *ready) (ok bool, reason string) {
	defer func() {
		if p := recover(); p != nil {
			ok, reason = false, fmt.Sprint("looking at it crashed: ", p)
		}
	}()
	return r.state.Unchanged()
}

func (p *pool) keep(r *ready, ok bool, reason string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !ok {
		p.reason = reason
		if p.changed++; p.changed >= maxChanged {
			p.changed, p.skip = 0, unlooked
		}
		return false
	}
	p.changed = 0
	if p.retired || len(p.idle) >= maxIdle || idleAll.Load() >= maxIdleAll {
		return false
	}
	p.idle = append(p.idle, r)
	idleAll.Add(1)
	return true
}

// retire closes what is idle, and what comes back from now on.
func (p *pool) retire() {
	p.mu.Lock()
	idle := p.idle
	p.idle, p.retired = nil, true
	p.mu.Unlock()
	idleAll.Add(-int64(len(idle)))
	for _, r := range idle {
		closeState(r.state)
	}
}

// leftover says what the last call that left something behind left.
func (p *pool) leftover() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.reason
}
