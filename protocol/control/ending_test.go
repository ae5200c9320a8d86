package control

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// message reads a line as a Conn would.
func message(line string) Message {
	e, err := decode([]byte(line))
	if err != nil {
		panic(err)
	}
	return Message{Type: e.kind, Subtype: e.subtype, Raw: e.raw}
}

const (
	lineInit    = `{"type":"system","subtype":"init"}`
	lineResult  = `{"type":"result","subtype":"success","is_error":false}`
	lineFailed  = `{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["it broke"]}`
	lineIdle    = `{"type":"system","subtype":"session_state_changed","state":"idle"}`
	lineRunning = `{"type":"system","subtype":"session_state_changed","state":"running"}`
	lineAsking  = `{"type":"system","subtype":"session_state_changed","state":"requires_action"}`
	lineAgent   = `{"type":"system","subtype":"task_started","task_id":"t1","task_type":"local_agent"}`
	lineFlow    = `{"type":"system","subtype":"task_started","task_id":"t2","task_type":"local_workflow"}`
	lineShell   = `{"type":"system","subtype":"task_started","task_id":"t3","task_type":"local_bash"}`
	lineNoted   = `{"type":"system","subtype":"task_notification","task_id":"t1","status":"completed"}`
	lineSays    = `{"type":"assistant","message":{"content":[]},"parent_tool_use_id":null}`
	lineAside   = `{"type":"assistant","message":{"content":[]},"parent_tool_use_id":"toolu_1"}`
)

func echo(uuid string) string {
	return `{"type":"user","message":{"role":"user","content":"x"},"isReplay":true,"uuid":"` + uuid + `"}`
}

func updated(id, status string) string {
	return fmt.Sprintf(`{"type":"system","subtype":"task_updated","task_id":%q,"patch":{"status":%q}}`, id, status)
}

func TestWhenStdinMayBeClosed(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps []string // a line; "prompt ID"; "wait D"; "open" and "done" check
	}{
		{"no prompt was written, so at once", []string{"done"}},
		{"a prompt is done with the first result after its echo",
			[]string{"prompt a", "open", lineInit, "open", echo("a"), "open", lineSays, "open", lineResult, "done"}},
		{"a result before the echo belongs to something else",
			[]string{"prompt a", lineResult, "open", echo("a"), "open", lineResult, "done"}},
		{"prompts that were merged into one turn are done with its one result",
			[]string{"prompt a", "prompt b", "prompt c", echo("a"), echo("b"), echo("c"), lineResult, "done"}},
		{"a prompt that waits for the next turn holds stdin open",
			[]string{"prompt a", "prompt b", echo("a"), lineResult, "open", echo("b"), "open", lineResult, "done"}},
		{"an echo of somebody else's prompt counts for nothing",
			[]string{"prompt a", echo("z"), lineResult, "open"}},
		{"a user line that is no replay is no echo",
			[]string{"prompt a", `{"type":"user","uuid":"a","message":{}}`, lineResult, "open"}},
		{"a further prompt opens a session that was done",
			[]string{"prompt a", echo("a"), lineResult, "done", "prompt b", "open"}},
		{"a failed turn is done too", []string{"prompt a", echo("a"), lineFailed, "done"}},

		{"a delegated agent holds it open until its notification",
			[]string{"prompt a", echo("a"), lineAgent, lineResult, "open", lineNoted, "done"}},
		{"a delegated workflow holds it open until its update",
			[]string{"prompt a", echo("a"), lineFlow, lineResult, "open", updated("t2", "running"), "open", updated("t2", "killed"), "done"}},
		{"each ending of a task closes it",
			[]string{"prompt a", echo("a"), lineAgent, lineFlow, lineResult, "open", updated("t1", "failed"), "open", updated("t2", "stopped"), "done"}},
		{"a shell in the background does not hold it open",
			[]string{"prompt a", echo("a"), lineShell, lineResult, "done"}},
		{"the end of another task changes nothing",
			[]string{"prompt a", echo("a"), lineAgent, lineResult, updated("t9", "completed"), "open"}},

		{"once a state was told, it must be idle",
			[]string{"prompt a", lineRunning, echo("a"), lineResult, "open", lineIdle, "done"}},
		{"idle before the result is not enough",
			[]string{"prompt a", lineIdle, echo("a"), "open", lineRunning, lineResult, "open", lineIdle, "done"}},

		{"what does not settle is given up 600 s after the last result",
			[]string{"prompt a", echo("a"), lineAgent, lineResult, "wait 599s", "open", "wait 1s", "done"}},
		{"each result starts the 600 s again",
			[]string{"prompt a", echo("a"), lineAgent, lineResult, "wait 599s", lineResult, "wait 599s", "open", "wait 1s", "done"}},
		{"lines of a delegated agent do not stop the clock",
			[]string{"prompt a", echo("a"), lineAgent, lineResult, "wait 300s", lineAside, "wait 300s", "done"}},
		{"the time in which a person is asked does not count",
			[]string{"prompt a", echo("a"), lineAgent, lineResult, "wait 300s", lineAsking, "wait 5000s", "open", lineRunning, "wait 299s", "open", "wait 1s", "done"}},
		{"never on a timer while a turn runs",
			[]string{"prompt a", echo("a"), lineAgent, lineResult, "wait 599s", lineInit, "wait 5000s", "open", lineResult, "wait 599s", "open", "wait 1s", "done"}},
		{"a turn without an init is a turn",
			[]string{"prompt a", echo("a"), lineAgent, lineResult, lineSays, "wait 5000s", "open"}},
		{"a command of the CLI is done with its result, which no echo announces",
			[]string{"prompt /help", "open", lineResult, "done"}},
		{"never on a timer while a prompt is not done",
			[]string{"prompt a", "wait 5000s", "open", echo("a"), lineResult, "prompt b", "wait 5000s", "open"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e Ending
				for i, step := range tt.steps {
					verb, arg, _ := strings.Cut(step, " ")
					switch verb {
					case "prompt":
						e.Prompted(arg, arg)
					case "wait":
						d, _ := time.ParseDuration(arg)
						time.Sleep(d)
					case "open", "done":
						if e.Done() != (verb == "done") {
							t.Fatalf("step %d: Done = %v, want %s", i, e.Done(), verb)
						}
					default:
						e.Message(message(step))
					}
				}
			})
		})
	}
}

func TestLeftTellsWhenToLookAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e Ending
		if _, ok := e.Left(); ok {
			t.Error("the clock runs before there was a result")
		}
		e.Prompted("a", "a")
		for _, line := range []string{echo("a"), lineAgent, lineResult} {
			e.Message(message(line))
		}
		time.Sleep(time.Minute)
		left, ok := e.Left()
		if !ok || left != 9*time.Minute || e.Done() {
			t.Fatalf("Left = %s, %v; want 9m", left, ok)
		}
		time.Sleep(left)
		if left, _ := e.Left(); left != 0 || !e.Done() {
			t.Errorf("after that time Done = %v with %s left", e.Done(), left)
		}
		e.Message(message(lineAsking))
		if _, ok := e.Left(); ok {
			t.Error("the clock runs while a person is asked")
		}
	})
}

func TestExplain(t *testing.T) {
	exit := &ExitError{Code: 1, Stderr: "boom"}
	signal := &ExitError{Code: -1, Signal: "killed"}
	other := errors.New("other")
	for _, tt := range []struct {
		name  string
		lines []string
		err   error
		want  string
	}{
		{"an exit directly after an error result is that result", []string{lineFailed}, exit, "it broke"},
		{"the session's state may come between", []string{lineFailed, lineRunning, lineIdle}, exit, "it broke"},
		{"and so may any line that begins no turn", []string{lineFailed,
			`{"type":"system","subtype":"command_lifecycle","command_uuid":"u1","state":"completed"}`,
			`{"type":"rate_limit_event"}`, `{"type":"something_new"}`,
			`{"type":"assistant","parent_tool_use_id":"toolu_1","message":{"content":[]}}`}, exit, "it broke"},
		{"what the next turn says makes it an exit", []string{lineFailed, lineSays}, exit, exit.Error()},
		{"the next turn makes it an exit", []string{lineFailed, `{"type":"system","subtype":"init"}`}, exit, exit.Error()},
		{"a good result after it makes it an exit", []string{lineFailed, lineResult}, exit, exit.Error()},
		{"an exit after a good result is an exit", []string{lineResult}, exit, exit.Error()},
		{"an exit before any result is an exit", nil, exit, exit.Error()},
		{"a signal is no consequence of the result", []string{lineFailed}, signal, signal.Error()},
		{"other errors stay", []string{lineFailed}, other, "other"},
		{"a good end stays one", []string{lineFailed}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var e Ending
			for _, line := range tt.lines {
				e.Message(message(line))
			}
			got := ""
			if err := e.Explain(tt.err); err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("Explain = %q, want %q", got, tt.want)
			}
		})
	}
}
