package host

import (
	"context"
	"sync"
)

// follower is a connection that wants to know of changes. Its goroutine begins with the first of them, so that a host whose folder does not change costs
// nothing, and ends with the connection.
type follower struct {
	slot chan struct{} // one slot: ten changes become one notice when the peer is slow
	loop func(context.Context)

	mu      sync.Mutex
	stop    context.CancelFunc // nil until the goroutine runs
	stopped bool
	wg      sync.WaitGroup
}

// newFollower makes a follower whose loop takes from its slot until its context is done.
func newFollower(loop func(context.Context)) *follower {
	return &follower{slot: make(chan struct{}, 1), loop: loop}
}

// poke tells of a change. It never blocks.
func (f *follower) poke() {
	f.mu.Lock()
	if f.stop == nil && !f.stopped {
		var ctx context.Context
		ctx, f.stop = context.WithCancel(context.Background())
		f.wg.Go(func() { f.loop(ctx) })
	}
	f.mu.Unlock()
	select {
	case f.slot <- struct{}{}:
	default:
	}
}

// end cancels the loop and waits for its end, which comes at once unless it writes to a peer that does not read: so the connection is ended before.
func (f *follower) end() {
	f.mu.Lock()
	f.stopped = true
	if f.stop != nil {
		f.stop()
	}
	f.mu.Unlock()
	f.wg.Wait()
}

func (f *follower) over() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stopped
}

// followers are the connections of a host. The zero value is ready.
type followers struct {
	mu sync.Mutex
	m  map[*follower]struct{}
}

// add lets one hear of changes from now on, unless it has ended.
func (f *followers) add(one *follower) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one.over() {
		return
	}
	if f.m == nil {
		f.m = map[*follower]struct{}{}
	}
	f.m[one] = struct{}{}
}

func (f *followers) drop(one *follower) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.m, one)
}

func (f *followers) poke() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for one := range f.m {
		one.poke()
	}
}
