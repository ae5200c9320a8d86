package scripts

import "sync"

// gate counts running calls, so that Close can wait for them. Unlike a WaitGroup it refuses newcomers once it is closed.
type gate struct {
	mu     sync.Mutex
	n      int
	closed bool
	empty  chan struct{} // closed when the last call has left a closed gate
}

func newGate() *gate { return &gate{empty: make(chan struct{})} }

func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.n++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.n--; g.n == 0 && g.closed {
		close(g.empty)
	}
}

// close waits for the running calls.
func (g *gate) close() {
	g.mu.Lock()
	if !g.closed {
		if g.closed = true; g.n == 0 {
			close(g.empty)
		}
	}
	g.mu.Unlock()
	<-g.empty
}
