package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/luatools/luatools/protocol/control"
)

// prompt is one user line of the host.
type prompt struct {
	uuid    string
	content []byte // as on the wire
}

// turn is one prompt, or several that share a result, from the first line to that result.
type turn struct {
	a     *Agent
	ctx   context.Context // its cause is errInterrupted after an interrupt
	start time.Time

	prompts []prompt // all that share the turn
	joined  []prompt // those that came during a call and have not been read yet
	steps   int      // messages with calls
	text    string   // said last
	denials []denial
	failed  bool // a call failed
	noCall  bool // the prompt was no call
	calls   bool // an interrupt hit a call
	loose   []*question
}

var errMaxTurns = errors.New("too many turns")

// prompted takes a user line; the reader calls it.
func (a *Agent) prompted(p prompt) {
	a.lifecycle(p, "queued")
	a.mu.Lock()
	a.prompts = append(a.prompts, p)
	a.mu.Unlock()
	a.nudge()
}

// converse holds one turn after the other until stdin is closed and nothing is left to do.
func (a *Agent) converse() {
	for a.ctx.Err() == nil {
		switch t, closed := a.nextTurn(); {
		case t != nil:
			t.run()
		case closed && !a.o.IgnoreEOF:
			a.exit(a.verdict())
		default:
			select {
			case <-a.wake:
			case <-a.ctx.Done():
			}
		}
	}
}

// verdict is how the agent ends when stdin is closed.
func (a *Agent) verdict() *control.ExitError {
	a.mu.Lock()
	failed := a.failed
	a.mu.Unlock()
	switch {
	case failed:
		return &control.ExitError{Code: 1}
	case a.o.ExitCode != 0:
		return &control.ExitError{Code: a.o.ExitCode}
	}
	return nil
}

// nextTurn takes the prompts of the next turn, if there are any, and reports whether stdin was closed before.
func (a *Agent) nextTurn() (*turn, bool) {
	closed := a.isClosed()
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.prompts) == 0 || a.o.Silent {
		return nil, closed
	}
	t := &turn{a: a, start: time.Now()}
	n := 1
	if a.o.merge() == MergeAll {
		n = len(a.prompts)
	}
	t.prompts, a.prompts = a.prompts[:n:n], a.prompts[n:]
	t.ctx, a.stop = context.WithCancelCause(a.ctx)
	a.turns++
	return t, closed
}

func (t *turn) run() {
	a := t.a
	defer a.stopTurn()
	a.state("running")
	err := a.handshakeOver(t.ctx)
	if a.o.merge() == MergeAll {
		t.prompts = append(t.prompts, a.takePrompts()...) // those that came during the handshake
	}
	for _, p := range t.prompts {
		a.lifecycle(p, "started")
	}
	if err == nil {
		err = t.open()
	}
	e := &Ending{}
	switch {
	case err != nil:
	case a.o.AuthFailed:
		e = t.notLoggedIn()
	case a.o.Script != nil:
		e, err = t.play()
	default:
		e, err = t.rehearse()
	}
	if a.ctx.Err() != nil {
		return
	}
	if err == nil && t.ctx.Err() != nil {
		err = context.Cause(t.ctx)
	}
	t.close(e, err)
}

// stopTurn makes interrupts have no effect until the next turn.
func (a *Agent) stopTurn() {
	a.mu.Lock()
	stop := a.stop
	a.stop = nil
	a.mu.Unlock()
	stop(nil)
	a.answerInterrupts()
}

// answerInterrupts answers the interrupts that the turn has obeyed by now.
func (a *Agent) answerInterrupts() {
	a.mu.Lock()
	ids := a.interrupts
	a.interrupts = nil
	a.mu.Unlock()
	for _, id := range ids {
		a.interruptAnswered(id, nil)
	}
}

// open writes what stands at the beginning of every turn.
func (t *turn) open() error {
	a := t.a
	a.mu.Lock()
	first := a.turns == 1
	a.mu.Unlock()
	a.writeInit()
	for _, p := range t.prompts {
		t.replay(p)
	}
	a.extras(first)
	if a.o.UnknownRequests {
		q := &question{about: "a request of unknown subtype", refused: true, mild: true}
		a.send(q, subtypeOnly{"compose_a_song"})
		a.send(&question{about: "request_user_dialog", silent: true}, subtypeOnly{"request_user_dialog"})
		t.loose = append(t.loose, q)
	}
	return nil
}

type subtypeOnly struct {
	Subtype string `json:"subtype"`
}

func (t *turn) replay(p prompt) {
	if t.a.o.NoReplay {
		return
	}
	l := t.a.user(rawOr(p.content, `""`))
	l.Replay = true
	if p.uuid != "" {
		l.UUID = p.uuid
	}
	t.a.write(l)
}

// close writes the result, and what comes before it when the turn was ended by an error.
func (t *turn) close(e *Ending, err error) {
	a := t.a
	a.answerInterrupts()
	a.settle(t.loose)
	switch {
	case errors.Is(err, errInterrupted):
		what := "[Request interrupted by user]"
		if t.calls {
			what = "[Request interrupted by user for tool use]"
		}
		a.write(a.user([]any{textBlock{"text", what}}))
		e = &Ending{Subtype: "error_during_execution", Errors: []string{"the turn was interrupted"}, TerminalReason: "aborted_tools"}
	case errors.Is(err, errMaxTurns):
		e = &Ending{Subtype: "error_max_turns", Errors: []string{fmt.Sprintf("Reached maximum number of turns (%d)", a.o.MaxTurns)}, TerminalReason: "max_turns"}
	case err != nil:
		e = &Ending{Subtype: "error_during_execution", Errors: []string{err.Error()}}
	}
	a.writeResult(t.result(e))
	for _, p := range t.prompts {
		a.lifecycle(p, "completed")
	}
	a.state("idle")
}

func (t *turn) result(e *Ending) (resultHead, resultTail) {
	a := t.a
	h := resultHead{Type: "result", Subtype: e.Subtype, IsError: e.IsError, Duration: time.Since(t.start).Milliseconds(),
		Turns: t.steps + 1}
	tail := resultTail{Session: a.session, Usage: noUsage, Denials: t.denials, UUID: control.NewUUID()}
	if tail.Denials == nil {
		tail.Denials = []denial{}
	}
	if h.Subtype == "" {
		h.Subtype = "success"
	}
	failed := h.IsError
	switch {
	case !strings.HasPrefix(h.Subtype, "error"):
		h.Result = &e.Text
	case a.o.Old: // a failure that does not look like one
		h.IsError, h.Errors, failed = false, []string{}, false
	default:
		h.IsError, h.Errors, failed = true, append([]string{}, e.Errors...), true
	}
	if !a.o.Old {
		h.Status, tail.Reason = e.APIErrorStatus, e.TerminalReason
		if tail.Reason == "" {
			tail.Reason = "completed"
		}
	}
	if t.noCall { // no CLI has this one: it tells old and current hosts alike
		tail.Reason = NoCall
	}
	a.mu.Lock()
	a.failed = failed
	a.mu.Unlock()
	return h, tail
}

// notLoggedIn says what a CLI says whose key the API refuses.
func (t *turn) notLoggedIn() *Ending {
	a := t.a
	text := "Invalid API key · Fix external API key"
	l := a.assistant(a.nextMessage(), textBlock{"text", text})
	l.Message.Model, l.Error = "<synthetic>", "authentication_failed"
	e := &Ending{IsError: true, Text: text, TerminalReason: "api_error"}
	if !a.o.Old {
		l.Status, e.APIErrorStatus = 401, 401
	}
	a.write(l)
	return e
}

// play makes the steps of the script's next turn.
func (t *turn) play() (*Ending, error) {
	a := t.a
	a.mu.Lock()
	var script *Turn
	if len(a.o.Script) > 0 {
		script, a.o.Script = &a.o.Script[0], a.o.Script[1:]
	}
	a.mu.Unlock()
	if script == nil {
		script = &Turn{Steps: []Step{{Text: "(the script has ended)"}}}
	}
	for _, s := range script.Steps {
		if _, err := t.step(s); err != nil {
			return nil, err
		}
	}
	if script.Die != 0 {
		a.exit(&control.ExitError{Code: script.Die})
		return nil, a.ctx.Err()
	}
	if script.Ending != nil {
		e := *script.Ending
		return &e, nil
	}
	return &Ending{Text: t.text}, nil
}

// say writes an assistant message of one text.
func (t *turn) say(text string) {
	t.text = text
	t.a.write(t.a.assistant(t.a.nextMessage(), textBlock{"text", text}))
}

func (a *Agent) nextMessage() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.messages++
	return a.messages
}

// join takes the prompts that came during a call into the turn.
func (t *turn) join() {
	a := t.a
	if a.o.merge() == MergeNever {
		return
	}
	more := a.takePrompts()
	for _, p := range more {
		a.lifecycle(p, "started")
		t.replay(p)
	}
	t.prompts, t.joined = append(t.prompts, more...), append(t.joined, more...)
}

func (a *Agent) takePrompts() []prompt {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.prompts
	a.prompts = nil
	return all
}
