package rehearsal

import (
	"io"
	"sync"
)

// outbox is the agent's stdout. Writing never blocks, as in the CLI, which keeps in memory what the pipe does not take.
type outbox struct {
	chunk int // most bytes a Read returns; 0: no limit

	mu     sync.Mutex
	filled sync.Cond
	buf    []byte
	closed bool
}

func newOutbox(chunk int) *outbox {
	o := &outbox{chunk: chunk}
	o.filled.L = &o.mu
	return o
}

func (o *outbox) write(b []byte) {
	o.mu.Lock()
	if !o.closed {
		o.buf = append(o.buf, b...)
	}
	o.mu.Unlock()
	o.filled.Broadcast()
}

// close lets the reader have what is there, then io.EOF.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.filled.Broadcast()
}

// Read implements [io.Reader].
func (o *outbox) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.buf) == 0 {
		if o.closed {
			return 0, io.EOF
		}
		o.filled.Wait()
	}
	if o.chunk > 0 && len(p) > o.chunk {
		p = p[:o.chunk]
	}
	n := copy(p, o.buf)
	if o.buf = o.buf[n:]; len(o.buf) == 0 {
		o.buf = nil
	}
	return n, nil
}
