package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestInterrupt(t *testing.T) {
	for _, tt := range []struct {
		name   string
		old    bool
		during string // the request that is open
		notice string // how it is taken back
		code   int
	}{
		{"withdraws the question of a current CLI", false, "can_use_tool", "control_cancel_request", 1},
		{"cancels the call of a current CLI", false, "tools/call", "mcp demo notifications/cancelled", 1},
		{"withdraws the question of an old CLI", true, "can_use_tool", "control_cancel_request", 0},
		{"cancels the call of an old CLI", true, "tools/call", "mcp demo notifications/cancelled", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := begin(t, Options{Old: tt.old, Script: greetOnce()})
				open := ""
				h.reply = func(l agentLine) string {
					if l.Request.Subtype == tt.during || l.Request.Message.Method == tt.during {
						open = l.RequestID
						return "-"
					}
					return ""
				}
				h.prompt("p1", "go")
				h.request("stop", `"subtype":"interrupt"`)
				if tt.during == "tools/call" { // a cancelled call is answered all the same
					h.succeed(open, `{"mcp_response":{"jsonrpc":"2.0","id":2,"error":{"code":-32800,"message":"cancelled"}}}`)
					synctest.Wait()
				}
				want := []string{tt.notice, "answer stop success", "user tool_result", "user text", "result error_during_execution"}
				k := h.sequence()
				if got := k[max(len(k)-5, 0):]; !slices.Equal(got, want) {
					t.Errorf("lines %q, want %q", got, want)
				}
				if r := h.last(); r.IsError == tt.old || (len(r.Errors) == 0) != tt.old {
					t.Errorf("result %s", r.raw)
				}
				h.reply = nil
				h.prompt("p2", "and on")
				if len(h.results()) != 2 {
					t.Error("the session must go on after an interrupt")
				}
				h.end()
				h.wantProblems()
			})
		})
	}
}

func TestExitCodeAfterAnInterrupt(t *testing.T) {
	for _, tt := range []struct {
		name string
		old  bool
		want int
	}{{"an old CLI exits 0", true, 0}, {"a current one 1", false, 1}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				never := make(chan struct{})
				h := begin(t, Options{Old: tt.old, Script: []Turn{{Steps: []Step{{When: never}}}}})
				h.prompt("p1", "go")
				h.request("stop", `"subtype":"interrupt"`)
				if got := exitCode(h.end()); got != tt.want || h.last().Subtype != "error_during_execution" {
					t.Errorf("exit code %d, want %d: %q", got, tt.want, h.sequence())
				}
			})
		})
	}
}

func TestAnInterruptThatIsIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		when := make(chan struct{})
		h := begin(t, Options{IgnoreInterrupt: true, Script: []Turn{{Steps: []Step{{When: when, Text: "done"}}}}})
		h.prompt("p1", "go")
		h.request("stop", `"subtype":"interrupt"`)
		if h.count("answer stop success") != 0 || len(h.results()) != 0 {
			t.Errorf("lines %q", h.sequence())
		}
		close(when)
		h.end()
		if r := h.last(); r.Result != "done" {
			t.Errorf("result %s", r.raw)
		}
	})
}

func TestAnInterruptBetweenTurnsIsAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{})
		h.request("stop", `"subtype":"interrupt"`)
		if l, ok := h.find("answer stop success"); !ok || !strings.Contains(l.raw, `"still_queued":[]`) || len(h.results()) != 0 {
			t.Errorf("lines %q", h.sequence())
		}
		h.end()
	})
}

func TestACancelledCallMustBeAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{Script: greetOnce()})
		h.reply = func(l agentLine) string {
			if l.Request.Message.Method == "tools/call" {
				return "-"
			}
			return ""
		}
		h.prompt("p1", "go")
		h.request("stop", `"subtype":"interrupt"`)
		time.Sleep(time.Minute)
		h.end()
		h.wantProblems("tools/call greet of demo was never answered")
	})
}

func TestOneCallOfManyIsTakenBack(t *testing.T) {
	now := make(chan struct{})
	close(now)
	for _, tt := range []struct {
		name, open, notice string
		use                ToolUse
	}{
		{"by control_cancel_request of its question", "can_use_tool", "control_cancel_request", ToolUse{Name: "mcp__demo__greet", Withdraw: now}},
		{"by notifications/cancelled", "tools/call", "mcp demo notifications/cancelled", ToolUse{Name: "mcp__demo__greet", Cancel: now}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := begin(t, Options{Script: []Turn{{Steps: []Step{{Calls: []ToolUse{tt.use}}, {Text: "went on"}}}}})
				h.reply = func(l agentLine) string {
					switch {
					case l.Request.Message.Method == "tools/call" && tt.open == "tools/call": // too late, but answered
						time.Sleep(time.Second)
					case l.Request.Subtype == tt.open:
						return "-"
					}
					return ""
				}
				h.prompt("p1", "go")
				time.Sleep(time.Minute)
				if h.count(tt.notice) != 1 || h.last().Result != "went on" {
					t.Errorf("lines %q", h.sequence())
				}
				h.end()
				h.wantProblems()
			})
		})
	}
}

func TestWhoIsAsked(t *testing.T) {
	for _, tt := range []struct {
		name   string
		o      Options
		tool   string
		before func(*testHost)
		asked  int
		want   string
	}{
		{"every call is asked about", Options{}, "mcp__demo__look", nil, 2, "Hello, !"},
		{"the CLI's own tools are asked about and not run", Options{}, "Bash", nil, 2, "Bash was allowed and did not run"},
		{"nothing is asked with NoAsk", Options{NoAsk: true}, "mcp__demo__look", nil, 0, "Hello, !"},
		{"but what Ask names", Options{NoAsk: true, Ask: map[string]bool{"mcp__demo__look": true}}, "mcp__demo__look", nil, 2, "Hello, !"},
		{"and all but what Ask excepts", Options{Ask: map[string]bool{"mcp__demo__look": false}}, "mcp__demo__look", nil, 0, "Hello, !"},
		{"nothing is asked in bypassPermissions", Options{PermissionMode: "bypassPermissions"}, "Bash", nil, 0, "Bash was allowed"},
		{"a mode can be set while it runs", Options{}, "Bash", func(h *testHost) { h.request("m", `"subtype":"set_permission_mode","mode":"bypassPermissions"`) }, 0, "Bash was allowed"},
		{"dontAsk denies", Options{PermissionMode: "dontAsk"}, "Bash", nil, 0, "because the mode is dontAsk"},
		{"a granted rule ends the asking", Options{}, "Bash", func(h *testHost) {
			h.reply = func(l agentLine) string {
				if l.Request.Subtype == "can_use_tool" {
					return `{"behavior":"allow","updatedInput":{},"updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"session"}]}`
				}
				return ""
			}
		}, 1, "Bash was allowed"},
		{"an unknown tool is nobody's question", Options{}, "mcp__demo__gone", nil, 0, "No such tool available: mcp__demo__gone"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.o.Script = []Turn{{Steps: []Step{callStep(tt.tool), callStep(tt.tool)}}}
				h := begin(t, tt.o)
				if tt.before != nil {
					tt.before(h)
				}
				h.prompt("p1", "go")
				if got := h.count("ask " + tt.tool); got != tt.asked {
					t.Errorf("asked %d times, want %d", got, tt.asked)
				}
				if l, _ := h.find("user tool_result"); !strings.Contains(l.raw, tt.want) {
					t.Errorf("tool_result %s, want %q", l.raw, tt.want)
				}
				h.end()
				h.wantProblems()
			})
		})
	}
}

func TestDenials(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		subtype      string
	}{
		{"a denial is listed in the result of a turn that goes on", `{"behavior":"deny","message":"no"}`, "success"},
		{"a denial with interrupt ends the turn", `{"behavior":"deny","message":"no","interrupt":true}`, "error_during_execution"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := begin(t, Options{Script: []Turn{{Steps: []Step{callStep("Bash"), {Text: "well then"}}}}})
				h.reply = func(l agentLine) string {
					if l.Request.Subtype == "can_use_tool" {
						return tt.answer
					}
					return ""
				}
				h.prompt("p1", "go")
				if r := h.last(); r.Subtype != tt.subtype || len(r.Denials) != 1 || r.Denials[0].Tool != "Bash" {
					t.Errorf("result %s", r.raw)
				}
				h.end()
				h.wantProblems()
			})
		})
	}
}

func TestHooks(t *testing.T) {
	specific := func(fields string) string {
		return `{"hookSpecificOutput":{"hookEventName":"PreToolUse",` + fields + `}}`
	}
	for _, tt := range []struct {
		name, output, want string
		asked, denials     int
	}{
		{"a hook with nothing to say changes nothing", `{}`, "Hello, Ada!", 1, 0},
		{"deny stops the call", specific(`"permissionDecision":"deny","permissionDecisionReason":"not so"`), "not so", 0, 1},
		{"block stops it too", `{"decision":"block","reason":"blocked"}`, "blocked", 0, 1},
		{"allow leaves out the question", specific(`"permissionDecision":"allow"`), "Hello, Ada!", 0, 0},
		{"updatedInput changes the arguments", specific(`"updatedInput":{"name":"Bob"}`), "Hello, Bob!", 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := launch(t, Options{Script: greetOnce()})
				h.reply = func(l agentLine) string {
					if l.Request.Callback == "before" {
						return tt.output
					}
					return ""
				}
				h.request("init", `"subtype":"initialize","sdkMcpServers":["demo"],"hooks":{"PreToolUse":[{"matcher":"Bash|mcp__demo__.*","hookCallbackIds":["before"]},`+
					`{"matcher":"Edit","hookCallbackIds":["other"]}],"PostToolUse":[{"hookCallbackIds":["after"]}]}`)
				h.prompt("p1", "go")
				if l, _ := h.find("user tool_result"); !strings.Contains(l.raw, tt.want) {
					t.Errorf("tool_result %s, want %q", l.raw, tt.want)
				}
				if got := h.count("ask mcp__demo__greet"); got != tt.asked || len(h.last().Denials) != tt.denials {
					t.Errorf("asked %d times, want %d; result %s", got, tt.asked, h.last().raw)
				}
				if h.count("hook before") != 1 || h.count("hook other") != 0 || h.count("hook after") != 1-tt.denials {
					t.Errorf("lines %q", h.sequence())
				}
				h.end()
				h.wantProblems()
			})
		})
	}
}

func TestNewToolsInARunningSession(t *testing.T) {
	notice := `"subtype":"mcp_message","server_name":"demo","message":{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`
	setServers := `"subtype":"mcp_set_servers","servers":{"demo":{"type":"sdk","name":"demo"},"demo_reload_1":{"type":"sdk","name":"demo_reload_1"}}`
	metServers := `"subtype":"mcp_set_servers","servers":{"demo":{"type":"sdk","name":"demo"}}`
	for _, tt := range []struct {
		name    string
		o       Options
		request string
		lists   []int // of demo, a second later, an hour later, after the next turn
	}{
		{"a current CLI lists again at the notice", Options{}, notice, []int{2, 2, 2}},
		{"or late", Options{RelistDelay: time.Minute}, notice, []int{1, 2, 2}},
		{"or never", Options{Relist: RelistNever}, notice, []int{1, 1, 1}},
		{"an old one ignores the notice", Options{Old: true, Handshake: HandshakeEarly}, notice, []int{1, 1, 1}},
		{"a current one shakes hands again at mcp_set_servers", Options{}, setServers, []int{2, 2, 2}},
		{"an old one before the next turn", Options{Old: true, Handshake: HandshakeEarly}, setServers, []int{1, 1, 2}},
		{"but not when it has met all of them", Options{Old: true, Handshake: HandshakeEarly}, metServers, []int{1, 1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.o.Script = []Turn{}
				h := begin(t, tt.o)
				h.request("r", tt.request)
				if h.count("answer r success") != 1 {
					t.Errorf("no answer: %q", h.sequence())
				}
				for i, wait := range []time.Duration{time.Second, time.Hour, 0} {
					time.Sleep(wait)
					if wait == 0 {
						h.prompt("p1", "go")
					}
					if got := h.count("mcp demo tools/list"); got != tt.lists[i] {
						t.Errorf("%d lists at moment %d, want %d", got, i, tt.lists[i])
					}
				}
				h.end()
				h.wantProblems()
			})
		})
	}
}

func TestMCPSetServersSaysWhatChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{Script: greetOnce()}, "demo", "gone")
		h.request("r", `"subtype":"mcp_set_servers","servers":{"demo":{"type":"sdk","name":"demo"},"extra":{"type":"sdk","name":"extra"},"bad":{"type":"sdk"}}`)
		l, _ := h.find("answer r success")
		if got := string(l.Response.Response); !strings.HasPrefix(got, `{"added":["extra"],"removed":["gone"],"errors":{"bad":`) {
			t.Errorf("answer %s", got)
		}
		h.request("s", `"subtype":"mcp_status"`)
		l, _ = h.find("answer s success")
		if got := string(l.Response.Response); !strings.Contains(got, `{"name":"extra","status":"connected","tools":[{"name":"greet"}`) || strings.Contains(got, "gone") {
			t.Errorf("status %s", got)
		}
		h.prompt("p1", "go")
		if r := h.last(); r.Result != "I said: Hello, Ada!" {
			t.Errorf("result %s", r.raw)
		}
		h.end()
		h.wantProblems()
	})
}

func TestEndings(t *testing.T) {
	for _, tt := range []struct {
		name     string
		ending   Ending
		old, now string // is_error, errors and exit code of an old and a current CLI
	}{
		{"a success", Ending{Text: "done"}, "false [] 0", "false [] 0"},
		{"an API failure is a success with is_error", Ending{Text: "API Error: 500", IsError: true, APIErrorStatus: 500}, "true [] 1", "true [] 1"},
		{"an error_ subtype looks fine in an old CLI", Ending{Subtype: "error_max_turns", Errors: []string{"too many"}}, "false [] 0", "true [too many] 1"},
		{"and so does a budget", Ending{Subtype: "error_max_budget_usd"}, "false [] 0", "true [] 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, old := range []bool{true, false} {
					want := tt.now
					if old {
						want = tt.old
					}
					h := begin(t, Options{Old: old, Script: []Turn{{Ending: &tt.ending}}})
					h.prompt("p1", "go")
					code := exitCode(h.end())
					r := h.last()
					if got := fmt.Sprint(r.IsError, " ", r.Errors, " ", code); got != want {
						t.Errorf("old %v: %s, want %s", old, got, want)
					}
					if first := strings.HasPrefix(r.raw, `{"type"`); first != old {
						t.Errorf("old %v: the result begins %.30s", old, r.raw)
					}
				}
			})
		})
	}
}

func TestTheExitCodeFollowsTheLastResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{Script: []Turn{{Ending: &Ending{IsError: true}}, {}}})
		h.prompt("p1", "go")
		h.prompt("p2", "go")
		if err := h.end(); err != nil {
			t.Errorf("Wait() = %v", err)
		}
	})
}

func TestMaxTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{MaxTurns: 2, Script: []Turn{{Steps: []Step{callStep("Bash"), callStep("Bash"), callStep("Bash")}}}})
		h.prompt("p1", "go")
		code := exitCode(h.end())
		if r := h.last(); r.Subtype != "error_max_turns" || r.Turns != 3 || !slices.Equal(r.Errors, []string{"Reached maximum number of turns (2)"}) || code != 1 {
			t.Errorf("exit code %d, result %s", code, r.raw)
		}
	})
}

func TestNotLoggedIn(t *testing.T) {
	for _, tt := range []struct {
		name   string
		old    bool
		status int
	}{{"of an old CLI tells no status", true, 0}, {"of a current one tells 401", false, 401}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := begin(t, Options{Old: tt.old, AuthFailed: true})
				h.prompt("p1", "go")
				code := exitCode(h.end())
				l, _ := h.find("assistant text")
				if r := h.last(); l.Error != "authentication_failed" || l.Status != tt.status || !r.IsError || r.Subtype != "success" || r.Status != tt.status || code != 1 {
					t.Errorf("exit code %d, %s\n%s", code, l.raw, r.raw)
				}
			})
		})
	}
}

func TestAPIRetries(t *testing.T) {
	for _, tt := range []struct {
		name string
		old  bool
		want int
	}{{"an old CLI retries in silence", true, 0}, {"a current one says so", false, 3}} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := begin(t, Options{Old: tt.old, APIRetries: 3, Script: []Turn{}})
				h.prompt("p1", "go")
				h.end()
				if got := h.count("system api_retry"); got != tt.want {
					t.Errorf("%d api_retry lines, want %d", got, tt.want)
				}
			})
		})
	}
}

func TestScriptsWriteLinesOfTheirOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{Script: []Turn{{Steps: []Step{{Lines: []string{`{"type":"system","subtype":"task_started","task_id":"t1"}`}}}}}})
		h.prompt("p1", "go")
		h.end()
		if h.count("system task_started") != 1 {
			t.Errorf("lines %q", h.sequence())
		}
	})
}

func TestNoiseOnTheWire(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		junk bool
		want string // a line that must be there
	}{
		{"lines that are no protocol stand between the others", Options{Noise: true}, true, "result success"},
		{"lines arrive byte by byte", Options{Chunk: 1}, false, "result success"},
		{"messages of unknown type are sent", Options{UnknownTypes: true}, false, "weather_report"},
		{"messages of unknown subtype are sent", Options{UnknownTypes: true}, false, "system never_heard_of"},
		{"a line may have 30 MiB", Options{HugeLine: 30 << 20}, false, "system rehearsal_padding"},
		{"all at once", Options{Noise: true, Chunk: 7, UnknownTypes: true, UnknownRequests: true, SessionState: true, Parallel: true, HugeLine: 1 << 16}, true, "result success"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tt.o.Script = greetOnce()
				h := begin(t, tt.o)
				h.prompt("p1", "go")
				h.end()
				if r := h.last(); r.Result != "I said: Hello, Ada!" || h.count(tt.want) != 1 || (h.junk > 0) != tt.junk {
					t.Errorf("%d lines of junk; %q: %s", h.junk, h.sequence(), r.raw)
				}
				if l, ok := h.find("system rehearsal_padding"); ok && len(l.raw) != tt.o.HugeLine {
					t.Errorf("the line has %d bytes, want %d", len(l.raw), tt.o.HugeLine)
				}
				h.wantProblems()
			})
		})
	}
}

// Life and death of the agent as a process.
func TestEnds(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		do   func(*testHost)
		want string // exit code and signal
	}{
		{"no prompt and a closed stdin end it well", Options{}, func(h *testHost) { h.a.Stdin().Close() }, "0 "},
		{"an exit code may follow", Options{ExitCode: 3}, func(h *testHost) { h.a.Stdin().Close() }, "3 "},
		{"it may end at once", Options{ExitAtOnce: 2, Stderr: []string{"cannot start"}}, func(*testHost) {}, "2 "},
		{"it may die in the middle of a turn", Options{Script: []Turn{{Steps: []Step{{Text: "ow"}}, Die: 7}}}, func(h *testHost) { h.prompt("p1", "go") }, "7 "},
		{"SIGTERM ends it", Options{IgnoreEOF: true}, func(h *testHost) { h.a.Stdin().Close(); synctest.Wait(); h.a.Terminate() }, "143 "},
		{"SIGKILL ends what ignores SIGTERM", Options{IgnoreEOF: true, IgnoreTerminate: true}, func(h *testHost) { h.a.Stdin().Close(); h.a.Terminate(); synctest.Wait(); h.a.Kill() }, "0 killed"},
		{"a silent one ends with its stdin", Options{Silent: true}, func(h *testHost) { h.prompt("p1", "go"); h.a.Stdin().Close() }, "0 "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := launch(t, tt.o)
				if !tt.o.Silent && tt.o.ExitAtOnce == 0 {
					h.initialize()
				}
				tt.do(h)
				err := h.a.Wait()
				<-h.ended
				got := "0 "
				if err != nil {
					got = fmt.Sprint(asExit(err).Code, " ", asExit(err).Signal)
				}
				if got != tt.want {
					t.Errorf("Wait() = %v: %q, want %q", err, got, tt.want)
				}
				if tt.o.Silent && len(h.lines) != 0 {
					t.Errorf("a silent agent wrote %q", h.kinds)
				}
				if want := strings.Join(tt.o.Stderr, "\n"); h.a.StderrTail() != want || err != nil && asExit(err).Stderr != want {
					t.Errorf("stderr %q, want %q", h.a.StderrTail(), want)
				}
				if _, err := h.a.Stdin().Write([]byte("{}\n")); err == nil {
					t.Error("a write to an agent that has ended must fail")
				}
			})
		})
	}
}

func TestADeafAgentBlocksTheWriterUntilItIsKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := launch(t, Options{Deaf: true})
		wrote := make(chan error, 1)
		go func() { _, err := h.a.Stdin().Write([]byte("{}\n")); wrote <- err }()
		synctest.Wait()
		select {
		case err := <-wrote:
			t.Fatalf("Write returned %v", err)
		default:
		}
		h.a.Kill()
		if err := <-wrote; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("Write = %v", err)
		}
		h.end()
	})
}

func TestTheContextEndsTheAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		a := Start(ctx, Options{})
		cancel()
		if err := a.Wait(); asExit(err).Signal != "killed" {
			t.Errorf("Wait() = %v", err)
		}
		if err := a.Wait(); asExit(err).Signal != "killed" {
			t.Errorf("a second Wait() = %v", err)
		}
	})
}
