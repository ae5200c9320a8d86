package rehearsal

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/luatools/luatools/protocol/control"
)

func asExit(err error) *control.ExitError {
	if e, ok := errors.AsType[*control.ExitError](err); ok {
		return e
	}
	return &control.ExitError{Code: -1}
}

// The lines of both CLIs in the order of recorded runs.
func TestLinesComeInTheOrderOfTheCLI(t *testing.T) {
	turn := []string{"system init", "replay p1", "assistant tool_use", "ask mcp__demo__greet", "mcp demo tools/call",
		"user tool_result", "assistant text", "result success"}
	shake := []string{"mcp demo initialize", "mcp demo notifications/initialized", "mcp demo tools/list"}
	for _, tt := range []struct {
		name string
		o    Options
		want []string
	}{
		{"a current CLI greets the server before it answers initialize, and learns its tools after it", Options{},
			slices.Concat([]string{shake[0], "answer init success"}, shake[1:], turn)},
		{"an old CLI shakes hands in the first turn", Options{Old: true},
			slices.Concat([]string{"answer init success"}, shake, turn)},
		{"a CLI can shake hands twice", Options{Old: true, Handshake: HandshakeTwice},
			slices.Concat([]string{shake[0], "answer init success"}, shake[1:], shake, turn)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.o.Script = greetOnce()
				h := begin(t, tt.o)
				h.prompt("p1", "Please greet Ada.")
				if got := h.sequence(); !slices.Equal(got, tt.want) {
					t.Errorf("lines\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(tt.want, "\n  "))
				}
				if r := h.last(); r.Result != "I said: Hello, Ada!" || r.IsError || r.Turns != 2 {
					t.Errorf("result %s", r.raw)
				}
				if err := h.end(); err != nil {
					t.Errorf("Wait() = %v", err)
				}
				h.wantProblems()
			})
		})
	}
}

func TestAnEarlyPromptJoinsASecondHandshakeToTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := launch(t, Options{Old: true, Handshake: HandshakeTwice, Script: greetOnce()})
		h.write(`{"type":"control_request","request_id":"init","request":{"subtype":"initialize","sdkMcpServers":["demo"]}}`)
		h.prompt("p1", "Please greet Ada.")
		if n := h.count("mcp demo initialize"); n != 2 {
			t.Errorf("%d handshakes, want 2: %q", n, h.sequence())
		}
		if r := h.last(); r.Result != "I said: Hello, Ada!" {
			t.Errorf("result %s", r.raw)
		}
		h.end()
		h.wantProblems()
	})
}

func TestACallCarriesItsIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{Script: []Turn{{Steps: []Step{{Calls: []ToolUse{{Name: "mcp__demo__greet", Input: `{"name":"Ada"}`, ID: "toolu_x"}}}}}}})
		h.prompt("p1", "go")
		want := `{"name":"greet","arguments":{"name":"Ada"},"_meta":{"claudecode/toolUseId":"toolu_x","progressToken":2}}`
		if got := strings.Join(h.calls, "\n"); got != want {
			t.Errorf("tools/call %s, want %s", got, want)
		}
		h.end()
	})
}

func TestSystemInitListsTheTools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{Script: []Turn{}}, "demo", "other")
		h.prompt("p1", "hello")
		l, ok := h.find("system init")
		if !ok || !slices.Contains(l.Tools, "mcp__demo__greet") || !slices.Contains(l.Tools, "mcp__other__look") || !slices.Contains(l.Tools, "Bash") {
			t.Errorf("tools %q", l.Tools)
		}
		h.end()
	})
}

func TestEchoes(t *testing.T) {
	for _, tt := range []struct {
		name         string
		o            Options
		echo, replay int
	}{
		{"user lines and the host's answers are echoed", Options{}, 5, 1},
		{"without replay nothing is echoed", Options{NoReplay: true}, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.o.Script = greetOnce()
				h := begin(t, tt.o)
				h.prompt("p1", "go")
				h.end()
				echo := 0
				for _, k := range h.kinds {
					if k == "echo" {
						echo++
					}
				}
				if got := h.count("replay p1"); got != tt.replay || echo != tt.echo {
					t.Errorf("%d replays and %d echoes, want %d and %d", got, echo, tt.replay, tt.echo)
				}
			})
		})
	}
}

func TestPromptsShareTurns(t *testing.T) {
	for _, tt := range []struct {
		name    string
		o       Options
		results int
	}{
		{"a current CLI merges prompts that wait together", Options{}, 1},
		{"an old one answers each", Options{Old: true}, 3},
		{"merging can be asked of an old one", Options{Old: true, Merge: MergeAll}, 1},
		{"and forbidden to a current one", Options{Merge: MergeNever}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.o.Script = []Turn{}
				h := launch(t, tt.o)
				h.reply = func(l agentLine) string { // the first turn waits for its handshake until all prompts are there
					if l.Request.Message.Method == "tools/list" {
						time.Sleep(time.Second)
					}
					return ""
				}
				h.write(`{"type":"control_request","request_id":"init","request":{"subtype":"initialize","sdkMcpServers":["demo"]}}`)
				for i := range 3 {
					h.queue(fmt.Sprint("p", i), "hello")
				}
				time.Sleep(time.Minute)
				if got := len(h.results()); got != tt.results {
					t.Errorf("%d results, want %d", got, tt.results)
				}
				for i := range 3 {
					if h.count(fmt.Sprint("replay p", i)) != 1 {
						t.Errorf("prompt %d was not replayed once: %q", i, h.sequence())
					}
				}
				h.end()
				h.wantProblems()
			})
		})
	}
}

func TestAPromptJoinsTheTurnThatCalls(t *testing.T) {
	for _, tt := range []struct {
		name    string
		o       Options
		results int
	}{
		{"of a current CLI", Options{}, 1},
		{"of an old CLI", Options{Old: true}, 1},
		{"but not where prompts never share a turn", Options{Merge: MergeNever}, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.o.Script = greetOnce()
				h := begin(t, tt.o)
				h.reply = func(l agentLine) string {
					if l.Request.Message.Method == "tools/call" {
						h.queue("p2", "and one more thing")
					}
					return ""
				}
				h.prompt("p1", "go")
				if got := len(h.results()); got != tt.results || h.count("replay p2") != 1 {
					t.Errorf("%d results, want %d: %q", got, tt.results, h.sequence())
				}
				h.end()
			})
		})
	}
}

func TestSessionStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{SessionState: true, Script: greetOnce()})
		h.prompt("p1", "go")
		h.end()
		states := slices.DeleteFunc(h.sequence(), func(k string) bool { return !strings.HasPrefix(k, "state ") })
		if got := strings.Join(states, ", "); got != "state running, state requires_action, state running, state idle" {
			t.Errorf("states: %s", got)
		}
		if k := h.sequence(); k[len(k)-1] != "state idle" || k[len(k)-2] != "result success" {
			t.Errorf("idle must follow the result: %q", k)
		}
	})
}

func TestCallsOfOneMessage(t *testing.T) {
	ask := []string{"mcp__demo__look", "mcp__demo__peek", "mcp__demo__greet", "mcp__demo__look"}
	for _, tt := range []struct {
		name string
		o    Options
		most int // calls that run at the same time
	}{
		{"neighbours that only read run together", Options{}, 2},
		{"all run together when told to", Options{Parallel: true}, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.o.Script = []Turn{{Steps: []Step{callStep(ask...)}}}
				h := begin(t, tt.o)
				var running []string
				most := 0
				h.reply = func(l agentLine) string {
					if l.Request.Message.Method != "tools/call" {
						return ""
					}
					running = append(running, `{"type":"control_response","response":{"subtype":"success","request_id":"`+l.RequestID+
						`","response":{"mcp_response":`+h.mcp(l)+`}}}`)
					return "-"
				}
				h.prompt("p1", "go")
				for len(running) > 0 {
					most = max(most, len(running))
					batch := running
					running = nil
					slices.Reverse(batch) // answers may come in any order
					for _, l := range batch {
						h.write(l)
					}
					synctest.Wait()
				}
				if most != tt.most || h.count("user tool_result") != 4 || h.last().Subtype != "success" {
					t.Errorf("%d calls at the same time, want %d: %q", most, tt.most, h.sequence())
				}
				h.end()
				h.wantProblems()
			})
		})
	}
}
