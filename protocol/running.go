package protocol

import (
	"context"
	"sync"
)

// Running is the table of calls that run on one connection, so that the peer can cancel them by id. The zero value is
// an empty table. Safe for concurrent use.
type Running struct {
	mu    sync.Mutex
	calls map[string]*running // the newest call of each key
}

type running struct {
	cancel context.CancelCauseFunc
	older  *running // an id that is used again while its first call runs names both
}

// Begin registers a call under key and returns its context and a func that ends it, which the caller owes and may call
// more than once. The goroutine that reads must call Begin, before another one runs the call: so a cancel that follows
// on the wire cannot overtake it.
func (r *Running) Begin(ctx context.Context, key string) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	call := &running{cancel: cancel}
	r.mu.Lock()
	if r.calls == nil {
		r.calls = make(map[string]*running)
	}
	call.older = r.calls[key]
	r.calls[key] = call
	r.mu.Unlock()
	return ctx, func() {
		r.remove(key, call)
		cancel(nil)
	}
}

func (r *Running) remove(key string, call *running) {
	r.mu.Lock()
	defer r.mu.Unlock()
	newest := r.calls[key]
	if newest == call {
		if call.older == nil {
			delete(r.calls, key)
		} else {
			r.calls[key] = call.older
		}
		return
	}
	for c := newest; c != nil; c = c.older {
		if c.older == call {
			c.older = call.older
			return
		}
	}
}

// Cancel cancels the calls under key with cause and reports whether there were any. The calls stay in the table until
// they are ended.
func (r *Running) Cancel(key string, cause error) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.calls[key]
	for c := first; c != nil; c = c.older {
		c.cancel(cause)
	}
	return first != nil
}
