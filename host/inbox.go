package host

import (
	"context"
	"sync"
)

// inbox is the unbounded queue between the goroutine that reads the CLI's lines and the consumer of Query. Without a bound, a consumer
// may be slow, or call Interrupt, while the CLI's questions are still answered.
type inbox struct {
	mu    sync.Mutex
	list  []Message
	err   error         // why no more will come; nil while they may
	ready chan struct{} // one slot: something changed
}

func newInbox() *inbox { return &inbox{ready: make(chan struct{}, 1)} }

func (q *inbox) put(m Message) {
	q.mu.Lock()
	q.list = append(q.list, m)
	q.mu.Unlock()
	q.wake()
}

// close ends the queue: what is in it can still be taken, then take returns err.
func (q *inbox) close(err error) {
	q.mu.Lock()
	q.err = err
	q.mu.Unlock()
	q.wake()
}

func (q *inbox) wake() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// take waits for the next message. It has one user at a time.
func (q *inbox) take(ctx context.Context) (Message, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Message{}, err
		}
		q.mu.Lock()
		if len(q.list) > 0 {
			m := q.list[0]
			q.list[0] = Message{}
			q.list = q.list[1:]
			q.mu.Unlock()
			return m, nil
		}
		err := q.err
		q.mu.Unlock()
		if err != nil {
			return Message{}, err
		}
		select {
		case <-q.ready:
		case <-ctx.Done():
		}
	}
}

func (q *inbox) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.list) == 0
}
