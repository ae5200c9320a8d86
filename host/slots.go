package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// slots bounds the calls that run at once. The rest waits in the order of its coming, and what finds the queue full is told to come again:
// a client that makes more calls than can run must not take memory for each.
type slots struct {
	most, queue int

	mu      sync.Mutex
	running int
	waiting []chan struct{} // closed when its call may run
}

// errBusy is why a call was not even queued.
var errBusy = errors.New("too many calls")

// enter waits for a slot; leave must follow unless there is an error, which is errBusy or that of ctx.
func (s *slots) enter(ctx context.Context) error {
	s.mu.Lock()
	if s.running < s.most {
		s.running++
		s.mu.Unlock()
		return nil
	}
	if len(s.waiting) >= s.queue {
		s.mu.Unlock()
		return errBusy
	}
	turn := make(chan struct{})
	s.waiting = append(s.waiting, turn)
	s.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	i := slices.Index(s.waiting, turn)
	if i >= 0 {
		s.waiting = slices.Delete(s.waiting, i, i+1)
	}
	s.mu.Unlock()
	if i < 0 { // the slot was given in the same moment
		s.leave()
	}
	return ctx.Err()
}

// leave gives the slot to the call that waits longest.
func (s *slots) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.waiting) == 0 {
		s.running--
		return
	}
	close(s.waiting[0])
	s.waiting = slices.Delete(s.waiting, 0, 1)
}

// refusal is what the model reads of a call that got no slot.
func (s *slots) refusal(err error) string {
	if errors.Is(err, errBusy) {
		return fmt.Sprintf("The server is busy: %d calls run and %d wait. The call did not run; try again in a moment. "+
			"(--limit calls=… and queue=…, or limits.calls and limits.queue in luatools.lua)", s.most, s.queue)
	}
	return "The call was cancelled before it ran."
}
