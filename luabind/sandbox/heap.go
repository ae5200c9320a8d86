package sandbox

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Tables and closures grow inside the VM, where nothing can be charged, so the heap of the process is watched while calls run. No goroutine
// does that: a call that runs longer than heapEvery looks now and then, when it looks at its clock.
//
// Nothing is cancelled for garbage. When objects and garbage together are a quarter above the limit, the call that looks has the garbage
// collected, and only what is live after that counts. Then the call that made the most ends, and the next look waits until it has. The
// collector lets the heap grow while it marks, so the process holds about as much again as the limit at worst.
//
// The heap belongs to the whole process: what a Go program holds beside its tools counts too, and such a program raises the limit by it.

// heapEvery is the time between two looks, and the age from which a call takes part: shorter ones cost nothing.
const heapEvery = 5 * time.Millisecond

// patience is how long a cancelled call may take to end before another one is cancelled.
const patience = time.Second

var heap heapWatch

type heapWatch struct {
	due   atomic.Int64 // of the next look, in Unix nanoseconds
	tight atomic.Bool  // more than half of the limit is in use, so calls note what they do

	one    sync.Mutex // held by the call that looks
	sample [2]metrics.Sample

	mu     sync.Mutex
	calls  []*Call // oldest first
	victim *Call   // was cancelled and still runs
	since  time.Time
}

// memory is what one call knows of its use of memory.
type memory struct {
	from    time.Time // when it takes part in the watch
	watched bool
	skip    int          // looks until the next note
	grown   int64        // bytes, estimated
	score   atomic.Int64 // for the call that looks: grown and charged
}

func (m *memory) begin(now time.Time) {
	m.from, m.watched, m.skip, m.grown = now.Add(heapEvery), false, 0, 0
	m.score.Store(0)
}

func (w *heapWatch) add(c *Call) {
	w.mu.Lock()
	w.calls = append(w.calls, c)
	w.mu.Unlock()
	c.memory.watched = true
}

func (w *heapWatch) remove(c *Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, o := range w.calls {
		if o == c {
			w.calls = append(w.calls[:i], w.calls[i+1:]...)
			break
		}
	}
	if w.victim == c {
		w.victim = nil
	}
	c.memory.watched = false
}

// watchHeap is called when the call looks at its clock.
func (c *Call) watchHeap(now time.Time) {
	if !c.memory.watched {
		heap.add(c)
	}
	if heap.tight.Load() {
		c.noteGrowth()
	}
	// A clock that jumped, or that of a test, must not put the next look off for long.
	if wait := heap.due.Load() - now.UnixNano(); wait > 0 && wait < int64(time.Minute) {
		return
	}
	heap.look(now, c.limits.Heap)
}

const (
	looksPerNote = 8
	bytesPerNote = looksPerNote * usualWindow * 16
)

// noteGrowth looks what the call is doing at this moment: one that makes or fills tables is taken for one that grows. The window changes
// by chance, else a short loop would be met at the same instruction each time.
func (c *Call) noteGrowth() {
	m := &c.memory
	if m.skip--; m.skip > 0 {
		return
	}
	m.skip = 1 + rand.IntN(2*looksPerNote-1)
	if c.window > 1 {
		c.window -= rand.Int64N(min(c.window, 8))
		c.left = c.window
	}
	if grows(c.state.L.G.CurrentThread) {
		m.grown += bytesPerNote
	}
	m.score.Store(max(m.grown, 1) + c.limits.Bytes - c.bytes)
}

// grows reports whether a thread is at an instruction that takes memory. What runs under pcall cannot be seen and counts as such.
func grows(th *lua.LState) bool {
	inst, isGo, ok := instruction(th, 0)
	if !ok || isGo {
		return true
	}
	switch opcode(inst) {
	case lua.OP_NEWTABLE, lua.OP_SETTABLE, lua.OP_SETTABLEKS, lua.OP_SETLIST, lua.OP_CLOSURE:
		return true
	}
	return false
}

// look cancels a call when the process is above limit. It takes some microseconds, or a garbage collection.
func (w *heapWatch) look(now time.Time, limit int64) {
	if !w.one.TryLock() {
		return
	}
	defer w.one.Unlock()
	w.due.Store(now.Add(heapEvery).UnixNano())
	objects, _ := w.read()
	w.tight.Store(objects > limit/2)
	if objects <= limit+limit/4 || w.waiting(now) {
		return
	}
	runtime.GC()
	after := time.Now()
	w.due.Store(after.Add(max(heapEvery, after.Sub(now))).UnixNano()) // collecting takes half of the time at most
	if _, live := w.read(); live > limit {
		w.cancel(after)
	}
}

// read returns the bytes of all objects, garbage included, and of those that the last collection found alive.
func (w *heapWatch) read() (objects, live int64) {
	w.sample[0].Name, w.sample[1].Name = "/memory/classes/heap/objects:bytes", "/gc/heap/live:bytes"
	metrics.Read(w.sample[:])
	return int64(w.sample[0].Value.Uint64()), int64(w.sample[1].Value.Uint64())
}

// waiting reports whether the call that was cancelled last is about to end.
func (w *heapWatch) waiting(now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.victim != nil && now.Sub(w.since) < patience
}

// cancel ends the call that made the most; of equal ones the oldest. A call leaves the list before it ends, so the right one is met.
func (w *heapWatch) cancel(now time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var worst *Call
	var most int64
	for _, c := range w.calls {
		if score := c.memory.score.Load(); !c.stopped.Load() && (worst == nil || score > most) {
			worst, most = c, score
		}
	}
	if worst == nil {
		return
	}
	worst.Cancel(fmt.Sprintf("the process held more than %s of live data, most of it new from this call (%s)",
		sizeText(worst.limits.Heap), howTo("heap")))
	w.victim, w.since = worst, now
}
