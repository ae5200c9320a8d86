package host

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/luatools/luatools/protocol/control"
)

// Message is one line of the conversation.
type Message = control.Message

// turn is one prompt on its way to its result.
type turn struct {
	uuid   string
	echoed bool // the CLI has taken the prompt, or will not say so

	interrupt sync.Once
	stopped   chan struct{} // closed when the interrupt was answered, or could not be; failed is set then
	failed    error
}

// follow looks at the next message and reports whether it ends the turn: the first result after the echo of the prompt, or after the
// prompt when it is a command of the CLI. Results are never counted, because the CLI may merge prompts, or still owe the result of a turn that was interrupted.
func (t *turn) follow(m Message) bool {
	switch m.Type {
	case "user":
		t.echoed = t.echoed || m.IsReplay() && m.UUID() == t.uuid
	case "result":
		return t.echoed
	}
	return false
}

// Query writes a prompt and yields the messages up to its result, which is the last one. An error is the last as well, and ends the
// session unless it is the context's. A consumer that stops early, and a context that ends, interrupt the turn. Queries wait for each other; ranging
// twice over what Query returned asks twice.
func (s *Session) Query(ctx context.Context, prompt string) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		if err := s.enter(ctx); err != nil {
			yield(Message{}, err)
			return
		}
		defer s.leave()
		t, err := s.begin(ctx, prompt)
		if err != nil {
			yield(Message{}, s.because(err))
			return
		}
		over := false
		defer func() {
			if !over {
				s.abandon(context.WithoutCancel(ctx), t)
			}
			s.end()
		}()
		for !over {
			m, err := s.inbox.take(ctx)
			if err != nil {
				over = ctx.Err() == nil
				yield(Message{}, err)
				return
			}
			over = t.follow(m)
			if !yield(m, nil) {
				return
			}
		}
	}
}

// Rest yields what still comes after the last query until the session may be closed: until no delegated task is open and the CLI says
// that it is idle, at most ten minutes after the last result. For a session without such tasks that is at once.
func (s *Session) Rest(ctx context.Context) iter.Seq2[Message, error] {
	return func(yield func(Message, error) bool) {
		if err := s.enter(ctx); err != nil {
			yield(Message{}, err)
			return
		}
		defer s.leave()
		for {
			left, settled := s.left()
			if settled && s.inbox.empty() {
				return
			}
			bounded, cancel := context.WithTimeout(ctx, left)
			m, err := s.inbox.take(bounded)
			cancel()
			switch {
			case err == nil:
				if !yield(m, nil) {
					return
				}
			case bounded.Err() == nil || ctx.Err() != nil:
				yield(Message{}, err)
				return
			}
		}
	}
}

// interruptWait is how long an interrupted turn may take to end.
const interruptWait = 10 * time.Second

// left returns how long the conversation may stay as it is before it has to be looked at again, and whether it may be closed.
func (s *Session) left() (time.Duration, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	left, running := s.ending.Left()
	if !running {
		left = time.Hour // a line decides
	}
	return left, s.ending.Done()
}

// enter waits until no other query reads the conversation.
func (s *Session) enter(ctx context.Context) error {
	select {
	case s.reading <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Session) leave() { <-s.reading }

// begin writes the prompt, once the CLI knows the tools of this moment. Its uuid is known to the ending before, because the echo may be faster than the return of the write.
func (s *Session) begin(ctx context.Context, prompt string) (*turn, error) {
	s.prepare(ctx)
	t := &turn{uuid: control.NewUUID(), echoed: control.IsCommand(prompt), stopped: make(chan struct{})}
	s.mu.Lock()
	s.ending.Prompted(t.uuid, prompt)
	s.turn = t
	s.mu.Unlock()
	if err := s.conn.PromptAs(t.uuid, prompt); err != nil {
		s.end()
		return nil, fmt.Errorf("write the prompt: %w", err)
	}
	return t, nil
}

func (s *Session) end() {
	s.mu.Lock()
	s.turn = nil
	s.mu.Unlock()
}

// abandon interrupts the turn and reads to its end, so that the next query finds the CLI ready.
func (s *Session) abandon(ctx context.Context, t *turn) {
	ctx, cancel := context.WithTimeout(ctx, interruptWait)
	defer cancel()
	select {
	case <-s.stop(t):
		if t.failed != nil {
			return
		}
	case <-ctx.Done():
		return
	}
	for {
		m, err := s.inbox.take(ctx)
		if err != nil || m.Type == "result" {
			return
		}
	}
}

// stop interrupts the turn once, whoever asks first, and returns what is closed afterwards. It has a goroutine of its own, because a CLI that has
// stopped reading blocks the write, and only the end of the session frees it.
func (s *Session) stop(t *turn) <-chan struct{} {
	t.interrupt.Do(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.ended {
			t.failed = control.ErrClosed
			close(t.stopped)
			return
		}
		s.stops.Go(func() {
			defer close(t.stopped)
			ctx, cancel := context.WithTimeout(context.Background(), interruptWait)
			defer cancel()
			t.failed = s.conn.Interrupt(ctx)
		})
	})
	return t.stopped
}

// Interrupt ends the running turn: its query yields a result of subtype error_during_execution and ends. It waits for the CLI's answer.
func (s *Session) Interrupt(ctx context.Context) error { return s.conn.Interrupt(ctx) }
