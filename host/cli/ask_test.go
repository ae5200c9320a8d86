package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/luatools/luatools/host"
)

// screen is what a terminal shows; safe for concurrent use.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// person is a terminal in a synctest bubble and what is asked at it.
type person struct {
	t     *testing.T
	ask   *terminal
	keys  *io.PipeWriter
	shown screen
}

func newPerson(t *testing.T) *person {
	p := &person{t: t}
	in, keys := io.Pipe()
	p.keys = keys
	p.ask = newTerminal(&app{in: in, out: io.Discard, err: &p.shown})
	return p
}

// types types text and waits until it had its effect. Like a terminal it does not wait for a reader.
func (p *person) types(text string) {
	go func() { _, _ = io.WriteString(p.keys, text) }()
	synctest.Wait()
}

type said struct {
	host.Answer
	err error
}

// asked puts a question and returns where its answer comes.
func (p *person) asked(ctx context.Context) <-chan said {
	answers := make(chan said, 1)
	go func() {
		a, err := p.ask.Ask(ctx, host.Question{Tool: "ops/restart", Reason: "it is destructive", Input: json.RawMessage(`{}`)})
		answers <- said{a, err}
	}()
	synctest.Wait()
	return answers
}

func TestAnswersThatAreUnderstood(t *testing.T) {
	yes, session, no := host.Answer{Allow: true}, host.Answer{Allow: true, Session: true}, host.Answer{}
	for _, tt := range []struct {
		name, typed string
		want        host.Answer
		again       int
	}{
		{"y", "y\n", yes, 0},
		{"a capital Y", "Y\n", yes, 0},
		{"yes", "yes\n", yes, 0},
		{"Yes with space around it", " Yes \n", yes, 0},
		{"a line that ends as on Windows", "y\r\n", yes, 0},
		{"s", "s\n", session, 0},
		{"a capital S", "S\n", session, 0},
		{"n", "n\n", no, 0},
		{"a capital N", "N\n", no, 0},
		{"No", "No\n", no, 0},
		{"Enter alone is a no", "\n", no, 0},
		{"anything else asks again", "maybe", no, 1},
		{"so does a yes with more behind it", "yy", no, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPerson(t)
				answer := p.asked(t.Context())
				p.types(tt.typed)
				if tt.again > 0 {
					p.types("\n")
					if got := strings.Count(p.shown.String(), "type y, s or n\n"); got != tt.again {
						t.Errorf("told %d times what to type", got)
					}
					p.types("n\n")
				}
				if got := <-answer; got.err != nil || got.Answer != tt.want {
					t.Errorf("got %+v, want %+v", got, tt.want)
				}
			})
		})
	}
}

func TestOnlyWhatIsTypedAtAQuestionAnswersIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPerson(t)
		ctx, cancel := context.WithCancel(t.Context())
		first := p.asked(ctx)
		cancel()
		if got := <-first; !errors.Is(got.err, context.Canceled) || got.Allow {
			t.Errorf("withdrawn: %+v", got)
		}
		p.types("y\n") // the read of the first question still waits
		second := p.asked(t.Context())
		p.types("n\ny\n") // one write: the second line is type-ahead for the next question
		if got := <-second; got.err != nil || got.Allow {
			t.Errorf("the answer to a question that was withdrawn counted for the next: %+v", got)
		}
		third := p.asked(t.Context())
		synctest.Wait()
		if len(third) > 0 {
			t.Errorf("what was typed at one question answered the next: %+v", <-third)
		}
		p.keys.Close()
		if got := <-third; got.err == nil || got.Allow {
			t.Errorf("a closed terminal: %+v", got)
		}
	})
}
