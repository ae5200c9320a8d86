package control

import (
	"errors"
	"strings"
	"time"
)

// endingCap is how long after the last result a one-shot session is held open for tasks and states that do not settle.
const endingCap = 600 * time.Second

// Ending follows a one-shot session and tells when the CLI's stdin may be closed. Closing it early makes every later tool
// call, hook and question fail, and the run ends as a success all the same, so nobody would notice.
//
// Stdin may be closed when every prompt is done, no delegated task is open, and the last state that the CLI told, if it
// told any, is idle. A prompt is done with the first result after its echo (so the CLI must be started with
// ReplayUserMessages); results are not counted, because CLIs merge prompts. What does not settle is given up 600 s after
// the last result; the time in which a person is asked, or a turn runs, does not count.
//
// The zero value is ready; one goroutine uses it. It reads the clock but starts no timer: see [Ending.Left].
type Ending struct {
	prompts map[string]bool // not yet done, by uuid: whether the echo came, or none is to come
	tasks   map[string]bool // delegated and open, by id
	state   string          // the last that was told
	turn    bool            // a turn runs

	ended   bool          // there was a result
	spent   time.Duration // of the cap, up to since
	since   time.Time     // zero while the cap's clock stands
	failure *Result       // of the last turn that ended, until another begins
}

// Prompted adds a prompt, before its line is written or its echo is fed. One that is a command needs no echo: see [IsCommand].
func (e *Ending) Prompted(uuid, text string) {
	if e.prompts == nil {
		e.prompts = make(map[string]bool)
	}
	e.prompts[uuid] = IsCommand(text)
	e.tick(time.Now())
}

// IsCommand reports whether the CLI may take a prompt as one of its own commands, such as /help: those it answers with a result
// and no echo (CLI 2.1.33 and 2.1.330), so that the first result after such a prompt is the one to it.
func IsCommand(prompt string) bool { return strings.HasPrefix(strings.TrimSpace(prompt), "/") }

// Message takes the next line.
func (e *Ending) Message(m Message) {
	switch m.Type {
	case "result":
		e.result(m)
	case "user":
		e.echo(m)
	case "assistant", "stream_event":
		if m.ParentToolUseID() == "" {
			e.begun()
		}
	case "system":
		e.system(m)
	}
	e.tick(time.Now())
}

func (e *Ending) result(m Message) {
	for uuid, echoed := range e.prompts {
		if echoed {
			delete(e.prompts, uuid)
		}
	}
	e.turn = false
	e.ended, e.spent, e.since = true, 0, time.Time{}
	e.failure = nil
	if r, _ := m.Result(); r.Failed() {
		e.failure = r
	}
}

// begun notes a turn. Other lines may well follow a result (the state, the end of a queued prompt, hooks) and say nothing about it.
func (e *Ending) begun() { e.turn, e.failure = true, nil }

func (e *Ending) echo(m Message) {
	if len(e.prompts) == 0 || !m.IsReplay() {
		return
	}
	if _, ours := e.prompts[m.UUID()]; ours {
		e.prompts[m.UUID()] = true
		e.failure = nil
	}
}

func (e *Ending) system(m Message) {
	switch m.Subtype {
	case "init":
		e.begun()
	case "session_state_changed":
		e.state = m.SessionState()
	case "task_started":
		if t, _ := m.TaskStarted(); t.Type == "local_agent" || t.Type == "local_workflow" {
			if e.tasks == nil {
				e.tasks = make(map[string]bool)
			}
			e.tasks[t.ID] = true
		}
	case "task_notification", "task_updated":
		if t, ended := m.TaskEnded(); ended {
			delete(e.tasks, t.ID)
		}
	}
}

// tick lets the cap's clock run or stand from now on.
func (e *Ending) tick(now time.Time) {
	if !e.since.IsZero() {
		e.spent += now.Sub(e.since)
	}
	e.since = time.Time{}
	if e.ended && !e.turn && len(e.prompts) == 0 && e.state != "requires_action" {
		e.since = now
	}
}

// Done reports whether stdin may be closed now. It is true before the first prompt: a session without one ends at once.
func (e *Ending) Done() bool {
	if len(e.prompts) > 0 {
		return false
	}
	if len(e.tasks) == 0 && (e.state == "" || e.state == "idle") {
		return true
	}
	left, running := e.Left()
	return running && left <= 0
}

// Left returns how long it takes until Done becomes true by itself, if no line comes before. ok is false while that is
// not to be: a prompt is not done, a turn runs, or a person is asked.
func (e *Ending) Left() (left time.Duration, ok bool) {
	if e.since.IsZero() {
		return 0, false
	}
	return max(0, endingCap-e.spent-time.Since(e.since)), true
}

// Explain returns the reason for the end of a CLI. One that exits with a code after a failed result, and has begun no other
// turn, ended because of it, so the result is the error; else err is.
func (e *Ending) Explain(err error) error {
	if exit, ok := errors.AsType[*ExitError](err); ok && exit.Code > 0 && e.failure != nil {
		return e.failure.Err()
	}
	return err
}
