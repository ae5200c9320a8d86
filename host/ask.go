package host

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
)

// Question is what a person is asked; Answer what they said.
type Question struct {
	Tool     string          // as people name it
	Input    json.RawMessage // in full, in normal form
	Reason   string          // why it asks; begins with the question of the tool's author for this call, where there is one
	Declares string          // the rights the tool declares
	File     string          // where the tool stands; empty for Go tools and the CLI's own
	Line     int
}

type Answer struct {
	Allow   bool
	Session bool   // also for further calls of the tool, till the session ends
	Message string // what the person wrote, for the model
}

// Asker asks a person. It is called by one goroutine at a time, and must return with an error at once when there is nobody,
// and soon when the context ends.
type Asker interface {
	Ask(context.Context, Question) (Answer, error)
}

// ErrNobody is an Asker's answer when there is nobody to ask.
var ErrNobody = errors.New("there is nobody to ask")

// line puts the questions for one person one behind the other. Calls whose context ends leave it.
type line struct {
	asker Asker
	turn  chan struct{} // holds a token while somebody is asked; waiters are served in order
}

func newLine(a Asker) *line {
	if a == nil {
		return nil
	}
	return &line{asker: a, turn: make(chan struct{}, 1)}
}

// ask waits for its turn and asks. known is looked at when the turn has come: an answer "for the session" to the call before may
// have settled this one too.
func (l *line) ask(ctx context.Context, q Question, known func() (Answer, bool)) (Answer, error) {
	if l == nil {
		return Answer{}, ErrNobody
	}
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
	defer func() { <-l.turn }()
	if err := ctx.Err(); err != nil {
		return Answer{}, context.Cause(ctx)
	}
	if a, ok := known(); ok {
		return a, nil
	}
	return l.asker.Ask(ctx, q)
}

// answers are what a person said for the rest of a session, by tool as people name it. The zero value is ready.
type answers struct {
	mu sync.Mutex
	m  map[string]Answer
}

func (a *answers) get(tool string) (Answer, bool) {
	if a == nil {
		return Answer{}, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	got, ok := a.m[tool]
	return got, ok
}

func (a *answers) set(tool string, answer Answer) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.m == nil {
		a.m = map[string]Answer{}
	}
	a.m[tool] = answer
}

// verdict is what became of a decision once everybody who had to be asked was asked.
type verdict struct {
	allow bool
	text  string // of a denial: for the model, and for the person who reads over its shoulder
}

// settle turns a decision on q into a verdict. An error means that the call was cancelled while it waited.
func (c *caller) settle(ctx context.Context, d Decision, q Question) (verdict, error) {
	switch {
	case d.Behavior == Allow, d.Behavior == Ask && c.person:
		return verdict{allow: true}, nil
	case d.Behavior == Deny:
		return verdict{text: "Denied: " + d.Reason + ". Do not retry."}, nil
	}
	known := func() (Answer, bool) { return c.answers.get(q.Tool) }
	a, ok := known()
	if !ok {
		var err error
		q.Reason = d.Reason
		a, err = c.line.ask(ctx, q, known)
		switch {
		case ctx.Err() != nil:
			return verdict{}, context.Cause(ctx)
		case errors.Is(err, ErrNobody):
			return verdict{text: nobody(q, d)}, nil
		case err != nil:
			return verdict{text: "Denied: the question could not be put to a person: " + err.Error()}, nil
		}
		if a.Session {
			c.answers.set(q.Tool, a)
		}
	}
	if a.Allow {
		return verdict{allow: true}, nil
	}
	text := "A human denied this"
	if a.Message != "" {
		text += ": " + a.Message
	}
	return verdict{text: text + ". Do not retry without asking."}, nil
}

// nobody is the denial of a call that had to ask where nobody could be asked. It names the way out.
func nobody(q Question, d Decision) string {
	text := "Denied: " + q.Tool + " needs a go-ahead (" + d.Reason + ") and there is nobody to ask (headless run)."
	if d.Flag != "" {
		return text + " To let it run, start luatools with " + d.Flag
	}
	return text + " Take the rule back, or run it at a terminal."
}
