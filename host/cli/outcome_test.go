package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/luatools/luatools/host"
	"github.com/luatools/luatools/protocol/control"
)

// talk is a conversation that prints into buffers.
func talk(tools ...string) (c *conversation, out, notes *bytes.Buffer) {
	out, notes = &bytes.Buffer{}, &bytes.Buffer{}
	a := &app{in: strings.NewReader(""), out: out, err: notes}
	return &conversation{a: a, d: a.display(), own: "mcp__", tools: func() (list []host.Info) {
		for _, name := range tools {
			list = append(list, host.Info{Name: host.ParseToolName(name)})
		}
		return list
	}}, out, notes
}

func line(kind, subtype, raw string) host.Message {
	return host.Message{Type: kind, Subtype: subtype, Raw: json.RawMessage(raw)}
}

func TestWhatDoesNotReachTheModelIsTold(t *testing.T) {
	for _, tt := range []struct{ name, tools, servers, want string }{
		{"all is there", `"Bash","mcp__db__add","mcp__db__sub","mcp__ops__look"`, `{"name":"db","status":"connected"},{"name":"ops","status":"connected"}`, ""},
		{"a tool is not offered", `"Bash","mcp__db__add","mcp__ops__look"`, `{"name":"db","status":"connected"},{"name":"ops","status":"connected"}`,
			"warning: the CLI does not offer db/sub to the model; its settings may forbid it\n"},
		{"a server is not known, which is told once", `"mcp__ops__look"`, `{"name":"ops","status":"connected"}`,
			"warning: the CLI does not know the server \"db\", so the model has none of its tools\n"},
		{"a server failed, which is enough to tell", `"mcp__ops__look"`, `{"name":"db","status":"failed"},{"name":"ops","status":"connected"}`,
			"warning: the CLI reports server \"db\" as failed\n"},
		{"a server that connects at this moment has no tools yet", ``, `{"name":"db","status":"pending"},{"name":"ops","status":"pending"}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, _, notes := talk("db/add", "db/sub", "ops/look")
			for range 2 { // it is told at each turn, and shown once
				c.message(line("system", "init", `{"type":"system","subtype":"init","tools":[`+tt.tools+`],"mcp_servers":[`+tt.servers+`]}`))
			}
			if notes.String() != tt.want {
				t.Errorf("got %q, want %q", notes, tt.want)
			}
		})
	}
}

func TestTheExitCodeFollowsTheResult(t *testing.T) {
	for _, tt := range []struct {
		name, before, result string
		code                 int
		stdout, stderr       string
	}{
		{"an answer", "", `{"type":"result","subtype":"success","is_error":false,"result":"Good."}`, exitOK, "Good.\n", ""},
		{"an answer with denials on the way", "", `{"type":"result","subtype":"success","result":"Good.","permission_denials":[{}]}`, exitOK, "Good.\n", ""},
		{"a success that is an error", "", `{"type":"result","subtype":"success","is_error":true,"result":"API Error: 500"}`, exitFailed, "", "API Error: 500"},
		{"an error of the run", "", `{"type":"result","subtype":"error_during_execution","errors":["it broke"]}`, exitFailed, "", "it broke"},
		{"an old CLI's error, which looks fine", "", `{"type":"result","subtype":"error_max_turns","is_error":false}`, exitLimit, "", "error_max_turns"},
		{"a budget that is used up", "", `{"type":"result","subtype":"error_max_budget_usd","is_error":true}`, exitLimit, "", "budget"},
		{"an error with denials", "", `{"type":"result","subtype":"error_during_execution","permission_denials":[{}]}`, exitDenied, "", "error"},
		{"not logged in", `{"type":"assistant","error":"authentication_failed","message":{"content":[]}}`, `{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key"}`,
			exitNoCLI, "", "log in"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, out, notes := talk()
			if tt.before != "" {
				c.message(line("assistant", "", tt.before))
			}
			c.message(line("result", "", tt.result))
			if code := c.result(c.last); code != tt.code || out.String() != tt.stdout || !strings.Contains(notes.String(), tt.stderr) {
				t.Errorf("code %d, stdout %q, stderr %q; want %d, %q, %q", code, out, notes, tt.code, tt.stdout, tt.stderr)
			}
		})
	}
}

func TestTheExitCodeOfASessionThatBreaks(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	program := host.SessionOptions{Command: control.Command{Path: "/bin/other"}}
	for _, tt := range []struct {
		name string
		code func(c *conversation) int
		want int
		says string
	}{
		{"a CLI that never answers initialize", func(c *conversation) int {
			return c.a.startFailed(fmt.Errorf("start: %w", control.ErrTimeout), program)
		}, exitTimeout, "start"},
		{"a CLI that exits at once", func(c *conversation) int { return c.a.startFailed(&control.ExitError{Code: 3, Stderr: "no"}, program) }, exitNoCLI, "is /bin/other the Claude CLI?"},
		{"a CLI that cannot be started", func(c *conversation) int { return c.a.startFailed(control.ErrNotFound, program) }, exitNoCLI, "/bin/other"},
		{"any other failure at the start", func(c *conversation) int { return c.a.startFailed(errors.New("no memory"), program) }, exitFailed, "no memory"},
		{"a CLI that stops answering", func(c *conversation) int {
			return c.broken(t.Context(), fmt.Errorf("interrupt: %w", control.ErrTimeout))
		}, exitTimeout, "interrupt"},
		{"a CLI that dies", func(c *conversation) int {
			return c.broken(t.Context(), &control.ExitError{Code: 9, Stderr: "out of memory"})
		}, exitFailed, "out of memory"},
		{"a person who interrupts", func(c *conversation) int { return c.broken(gone, control.ErrClosed) }, exitInterrupted, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, out, notes := talk()
			if code := tt.code(c); code != tt.want || !strings.Contains(notes.String(), tt.says) || out.Len() > 0 {
				t.Errorf("code %d, stdout %q, stderr %q; want %d, %q", code, out, notes, tt.want, tt.says)
			}
		})
	}
}

func TestCallsThatNeverCameToTheHostAreShown(t *testing.T) {
	const use = `{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t1","name":"mcp__ops__restart","input":{"service":"api"}}]}}`
	const refusal = `✗ ops/restart {"service":"api"} · Denied by a rule` + "\n"
	result := func(failed bool) string {
		return fmt.Sprintf(`{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":%v,"content":"Denied by a rule"}]}}`, failed)
	}
	seen := func(id string) []host.CallEvent {
		return []host.CallEvent{{Tool: "ops/restart", ToolUseID: id, Done: true}}
	}
	for _, tt := range []struct {
		name   string
		calls  []host.CallEvent
		failed bool
		want   string
	}{
		{"one that was denied when the CLI asked", nil, true, refusal},
		{"one that failed in the host was shown there", seen("t1"), true, ""},
		{"so was one whose id the CLI did not send", seen(""), true, ""},
		{"another call of the tool is another call", seen("t0"), true, refusal},
		{"one that went well", seen("t1"), false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, out, notes := talk("ops/restart")
			c.d.calls = map[string]int{}
			c.message(line("assistant", "", use))
			for _, e := range tt.calls {
				c.d.Call(e)
			}
			notes.Reset()
			for range 2 { // a result that is repeated is no second call
				c.message(line("user", "", result(tt.failed)))
			}
			if notes.String() != tt.want || out.Len() > 0 {
				t.Errorf("stderr %q, want %q; stdout %q", notes, tt.want, out)
			}
		})
	}
}
