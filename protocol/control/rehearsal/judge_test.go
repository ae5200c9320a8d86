package rehearsal

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLinesThatACLICannotTake(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		old, now   int // exit codes of an old and a current CLI
	}{
		{"broken JSON ends both", `{bad`, 1, 1},
		{"text ends both", `hello`, 1, 1},
		{"a control_request without request ends both", `{"type":"control_request","request_id":"x"}`, 1, 1},
		{"a request that is no object ends both", `{"type":"control_request","request_id":"x","request":"interrupt"}`, 1, 1},
		{"a user line of another role ends both", `{"type":"user","message":{"role":"assistant","content":"x"}}`, 1, 1},
		{"a user line without message ends both", `{"type":"user"}`, 1, 1},
		{"an empty line ends the old one", ``, 1, 0},
		{"an array ends the old one", `[]`, 1, 0},
		{"a number ends the old one", `5`, 1, 0},
		{"an unknown type ends the old one", `{"type":"zzz"}`, 1, 0},
		{"our control_cancel_request ends the old one", `{"type":"control_cancel_request","request_id":"x"}`, 1, 0},
		{"keep_alive is known to both", `{"type":"keep_alive"}`, 0, 0},
		{"an unknown subtype ends none", `{"type":"control_request","request_id":"x","request":{"subtype":"frobnicate"}}`, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				for _, old := range []bool{true, false} {
					want := tt.now
					if old {
						want = tt.old
					}
					h := begin(t, Options{Old: old})
					h.write(tt.line)
					synctest.Wait()
					err := h.end()
					if got := exitCode(err); got != want {
						t.Errorf("old %v: exit code %d, want %d", old, got, want)
					}
					if want != 0 && (asExit(err).Stderr == "" || len(h.a.Problems()) != 1 || h.a.StderrTail() == "") {
						t.Errorf("old %v: %+v, problems %q", old, asExit(err), h.a.Problems())
					}
				}
			})
		})
	}
}

func TestUnknownRequestsOfTheHost(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		want string // the answer, or nothing
	}{
		{"an old CLI stays silent", Options{Old: true}, ""},
		{"a current one answers an error", Options{}, "Unsupported control request subtype: frobnicate"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := begin(t, tt.o)
				h.request("x", `"subtype":"frobnicate"`)
				l, ok := h.find("answer x error")
				if ok != (tt.want != "") || l.Response.Error != tt.want || h.count("answer x success") != 0 {
					t.Errorf("answer %s", l.raw)
				}
				h.end()
			})
		})
	}
}

func TestASecondInitialize(t *testing.T) {
	for _, tt := range []struct {
		name string
		o    Options
		want string
	}{
		{"is an error to an old CLI", Options{Old: true}, "answer again error"},
		{"is accepted by a current one", Options{}, "answer again success"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := begin(t, tt.o)
				h.request("again", `"subtype":"initialize"`)
				if h.count(tt.want) != 1 {
					t.Errorf("want %q: %q", tt.want, h.sequence())
				}
				h.end()
				h.wantProblems()
			})
		})
	}
}

// The answers of a host are judged one by one, and each does to the call what it does in the CLI.
func TestAnswersAreJudged(t *testing.T) {
	answer := func(response string) string {
		return `raw {"type":"control_response","response":{"subtype":"success","request_id":"ID","response":` + response + `}}`
	}
	for _, tt := range []struct {
		name     string
		to       string // the request answered so: a subtype or an MCP method
		answer   string
		old      bool
		result   string // text of the tool_result; "hangs" when the call never ends, "dead" when not even closing stdin ends it
		problems []string
	}{
		{"a good answer has no problem", "tools/call", answer(`{"mcp_response":{"jsonrpc":"2.0","id":2,"result":{"content":[]}}}`), false, "", nil},
		{"a flat answer leaves the call hanging for good", "tools/call", `raw {"type":"control_response","request_id":"ID","subtype":"success","response":{}}`, false, "dead",
			[]string{"the answer to tools/call greet of demo is flat"}},
		{"a payload without mcp_response does too", "tools/call", answer(`{"jsonrpc":"2.0","id":2,"result":{"content":[]}}`), false, "dead",
			[]string{"has no mcp_response"}},
		{"a wrong JSON-RPC id leaves the call hanging", "tools/call", answer(`{"mcp_response":{"jsonrpc":"2.0","id":3,"result":{"content":[]}}}`), false, "hangs",
			[]string{"has the JSON-RPC id 3 instead of 2"}},
		{"an id of another type is a wrong id", "tools/call", answer(`{"mcp_response":{"jsonrpc":"2.0","id":"2","result":{"content":[]}}}`), false, "hangs",
			[]string{`has the JSON-RPC id "2" instead of 2`}},
		{"a result that is no object leaves the call hanging for good", "tools/call", answer(`{"mcp_response":{"jsonrpc":"2.0","id":2,"result":"text"}}`), false, "dead",
			[]string{"is no object"}},
		{"neither result nor error is a problem", "tools/call", answer(`{"mcp_response":{"jsonrpc":"2.0","id":2}}`), false, "dead",
			[]string{"either result or error"}},
		{"a missing jsonrpc is a problem", "tools/call", answer(`{"mcp_response":{"id":2,"result":{"content":[]}}}`), false, "",
			[]string{"no jsonrpc 2.0"}},
		{"a JSON-RPC error is the tool's error", "tools/call", answer(`{"mcp_response":{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"gone"}}}`), false, "gone", nil},
		{"an old CLI shows its code too", "tools/call", answer(`{"mcp_response":{"jsonrpc":"2.0","id":2,"error":{"code":-32602,"message":"gone"}}}`), true, "MCP error -32602: gone", nil},
		{"a control error is the tool's error", "tools/call", `raw {"type":"control_response","response":{"subtype":"error","request_id":"ID","error":"broken"}}`, false, "broken", nil},
		{"an unknown block spoils the result", "tools/call", answer(`{"mcp_response":{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"hologram"}]}}}`), false,
			`invalid result: content[0]: unknown type "hologram"`, []string{"unknown type"}},
		{"an image in the API's form spoils the result", "tools/call", answer(`{"mcp_response":{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"image","source":{}}]}}}`), false,
			`invalid result: content[0]: an image block without data or mimeType`, []string{"image"}},
		{"content that is no list spoils the result", "tools/call", answer(`{"mcp_response":{"jsonrpc":"2.0","id":2,"result":{"content":"text"}}}`), false,
			`invalid result: content:`, []string{"content"}},
		{"structuredContent replaces content", "tools/call", answer(`{"mcp_response":{"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"n":1}}}}`), false, `{"n":1}`, nil},
		{"an allow without updatedInput is a problem", "can_use_tool", answer(`{"behavior":"allow"}`), false, "Hello, Ada!", []string{"no updatedInput"}},
		{"and a denial to an old CLI", "can_use_tool", answer(`{"behavior":"allow"}`), true, "Tool permission request failed: updatedInput: Required", []string{"no updatedInput"}},
		{"an updatedInput of {} changes nothing", "can_use_tool", answer(`{"behavior":"allow","updatedInput":{}}`), false, "Hello, Ada!", nil},
		{"and takes the arguments from an old CLI", "can_use_tool", answer(`{"behavior":"allow","updatedInput":{}}`), true, "Hello, !", nil},
		{"an updatedInput is what the call carries", "can_use_tool", answer(`{"behavior":"allow","updatedInput":{"name":"Bob"}}`), false, "Hello, Bob!", nil},
		{"a denial is the tool's error", "can_use_tool", answer(`{"behavior":"deny","message":"not today"}`), false, "not today", nil},
		{"a denial without message is a problem", "can_use_tool", answer(`{"behavior":"deny"}`), false, "Tool permission request failed: message: Required", []string{"no message"}},
		{"nonsense denies", "can_use_tool", answer(`{"allowed":true}`), false, "Tool permission request failed: invalid answer", []string{"neither allow nor deny"}},
		{"an error denies", "can_use_tool", `raw {"type":"control_response","response":{"subtype":"error","request_id":"ID","error":"boom"}}`, false, "Tool permission request failed: Error: boom", nil},
		{"an acknowledgement with an id is a problem", "notifications/initialized", answer(`{"mcp_response":{"jsonrpc":"2.0","id":1,"result":{}}}`), false, "Hello, Ada!", []string{"has an id: 1"}},
		{"a subtype that is neither success nor error is a problem", "tools/call", `raw {"type":"control_response","response":{"subtype":"ok","request_id":"ID","response":{}}}`, false, "dead",
			[]string{`has subtype "ok"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := launch(t, Options{Old: tt.old, Script: greetOnce()})
				h.reply = func(l agentLine) string {
					if l.Request.Subtype == tt.to || l.Request.Message.Method == tt.to {
						return tt.answer
					}
					return ""
				}
				h.initialize()
				h.prompt("p1", "go")
				if hangs := len(h.results()) == 0; hangs != (tt.result == "hangs" || tt.result == "dead") {
					t.Errorf("the turn hangs: %v: %q", hangs, h.sequence())
				}
				h.a.Stdin().Close()
				synctest.Wait()
				if dead := len(h.results()) == 0; dead != (tt.result == "dead") {
					t.Errorf("stdin is closed and the turn hangs: %v", dead)
				}
				h.a.Kill()
				h.end()
				want := tt.result
				if l, ok := h.find("user tool_result"); ok && want != "hangs" && !strings.Contains(l.raw, strings.ReplaceAll(want, `"`, `\"`)) {
					t.Errorf("tool_result %s, want %q", l.raw, want)
				}
				h.wantProblems(tt.problems...)
			})
		})
	}
}

func TestAnswersAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{Script: greetOnce()})
		h.reply = func(l agentLine) string {
			if l.Request.Subtype == "can_use_tool" {
				h.succeed(l.RequestID, `{"behavior":"allow","updatedInput":{"name":"Bob"}}`)
			}
			return ""
		}
		h.prompt("p1", "go")
		h.succeed("nobody", `{}`)
		synctest.Wait()
		if r := h.last(); r.Result != "I said: Hello, Bob!" {
			t.Errorf("the second answer must have no effect: %s", r.raw)
		}
		h.end()
		h.wantProblems("can_use_tool mcp__demo__greet was answered 2 times", `the id "nobody" of no request`)
	})
}

func TestTheHostsIDsMustDiffer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{})
		h.request("init", `"subtype":"set_model","model":"x"`)
		h.end()
		h.wantProblems(`missing or used before: "init"`)
	})
}

func TestOneBadToolEmptiesTheServer(t *testing.T) {
	for _, tt := range []struct{ name, tool, problem string }{
		{"a missing schema", `{"name":"x"}`, "inputSchema is no object"},
		{"an empty schema", `{"name":"x","inputSchema":{}}`, "has the type"},
		{"another top type", `{"name":"x","inputSchema":{"type":"string"}}`, "has the type string"},
		{"properties as a list", `{"name":"x","inputSchema":{"type":"object","properties":[]}}`, "properties is no object"},
		{"required as an object", `{"name":"x","inputSchema":{"type":"object","required":{}}}`, "required is no list"},
		{"a name that is no text", `{"name":5,"inputSchema":{"type":"object"}}`, "tool 1"},
		{"no name", `{"inputSchema":{"type":"object"}}`, "tool 1 has no name"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := launch(t, Options{Script: greetOnce()})
				h.tools = func(string) string {
					return `[{"name":"greet","inputSchema":{"type":"object"}},` + tt.tool + `]`
				}
				h.initialize()
				h.prompt("p1", "go")
				if l, _ := h.find("user tool_result"); !strings.Contains(l.raw, "No such tool available") {
					t.Errorf("tool_result %s", l.raw)
				}
				h.end()
				h.wantProblems("tools/list of demo would empty the server")
				if p := h.a.Problems(); len(p) == 1 && !strings.Contains(p[0], tt.problem) {
					t.Errorf("problem %q, want it to say %q", p[0], tt.problem)
				}
			})
		})
	}
}

func TestPages(t *testing.T) {
	for _, tt := range []struct {
		name string
		old  bool
		want string
	}{
		{"an old CLI reads the first", true, "No such tool available"},
		{"a current one all", false, "Hello, Ada!"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := launch(t, Options{Old: tt.old, Script: greetOnce()})
				h.reply = func(l agentLine) string {
					if m := l.Request.Message; m.Method == "tools/list" && m.Params == nil {
						return `{"mcp_response":{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"tools":[],"nextCursor":"2"}}}`
					}
					return ""
				}
				h.initialize()
				h.prompt("p1", "go")
				if l, _ := h.find("user tool_result"); !strings.Contains(l.raw, tt.want) {
					t.Errorf("tool_result %s, want %q", l.raw, tt.want)
				}
				h.end()
				h.wantProblems()
			})
		})
	}
}

func TestClosingEarlyFailsWhatIsOpen(t *testing.T) {
	for _, tt := range []struct{ name, open, want, problem string }{
		{"a permission question", "can_use_tool", "Tool permission stream closed before response received", "before can_use_tool"},
		{"a call", "tools/call", "Stream closed", "before tools/call greet of demo was answered"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := launch(t, Options{Script: greetOnce()})
				h.reply = func(l agentLine) string {
					if l.Request.Subtype == tt.open || l.Request.Message.Method == tt.open {
						return "-"
					}
					return ""
				}
				h.initialize()
				h.prompt("p1", "go")
				if err := h.end(); err != nil {
					t.Errorf("Wait() = %v, though the run ends like a good one", err)
				}
				if l, _ := h.find("user tool_result"); !strings.Contains(l.raw, tt.want) || h.last().IsError {
					t.Errorf("tool_result %s, want %q", l.raw, tt.want)
				}
				h.wantProblems(tt.problem)
			})
		})
	}
}

func TestUnknownRequestsOfTheAgent(t *testing.T) {
	for _, tt := range []struct {
		name     string
		reply    string // to the unknown request
		dialog   string // to request_user_dialog
		problems []string
	}{
		{"an error answer is right, and none to a dialog", "", "-", nil},
		{"a success is wrong", `{}`, "-", []string{"was answered with a success"}},
		{"no answer is wrong", "-", "-", []string{"a request of unknown subtype was never answered"}},
		{"an answer to a dialog is wrong", "", `{}`, []string{"though no answer is due"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := begin(t, Options{UnknownRequests: true, Script: []Turn{}})
				h.reply = func(l agentLine) string {
					switch l.Request.Subtype {
					case "compose_a_song":
						return tt.reply
					case "request_user_dialog":
						return tt.dialog
					}
					return ""
				}
				h.prompt("p1", "go")
				time.Sleep(time.Minute)
				h.last()
				h.end()
				h.wantProblems(tt.problems...)
			})
		})
	}
}
