package rehearsal

import (
	"bufio"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// testHost is a small host written by hand. It notes every line of the agent and answers its requests; all runs in a
// synctest bubble, so that synctest.Wait means "everything that can happen has happened".
type testHost struct {
	t *testing.T
	a *Agent

	// reply replaces the payload of the answer to one request; "" answers as usual, "-" not at all, a text that starts
	// with "raw " is written as the whole line with ID for the request's id.
	reply func(r agentLine) string
	tools func(server string) string // the array of tools/list

	mu    sync.Mutex
	kinds []string // every line in short
	lines []agentLine
	junk  int // lines that are no JSON object
	calls []string
	ended chan struct{}
}

type agentLine struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	RequestID string `json:"request_id"`
	Request   struct {
		Subtype  string          `json:"subtype"`
		Server   string          `json:"server_name"`
		Tool     string          `json:"tool_name"`
		Input    json.RawMessage `json:"input"`
		Callback string          `json:"callback_id"`
		Message  struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params json.RawMessage `json:"params"`
		} `json:"message"`
	} `json:"request"`
	Response struct {
		Subtype   string          `json:"subtype"`
		RequestID string          `json:"request_id"`
		Response  json.RawMessage `json:"response"`
		Error     string          `json:"error"`
	} `json:"response"`
	Message struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"`
	UUID    string   `json:"uuid"`
	Replay  bool     `json:"isReplay"`
	State   string   `json:"state"`
	IsError bool     `json:"is_error"`
	Error   string   `json:"error"`
	Result  string   `json:"result"`
	Errors  []string `json:"errors"`
	Turns   int      `json:"num_turns"`
	Reason  string   `json:"terminal_reason"`
	Status  int      `json:"api_error_status"`
	Tools   []string `json:"tools"`
	Denials []struct {
		Tool string `json:"tool_name"`
	} `json:"permission_denials"`

	raw string
}

const demoTools = `[{"name":"greet","description":"Greet someone by name","inputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}},
{"name":"look","description":"Only reads","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}},
{"name":"peek","description":"Only reads too","inputSchema":{"type":"object","properties":{}},"annotations":{"readOnlyHint":true}},
{"name":"fail","description":"Always fails","inputSchema":{"type":"object","properties":{}}}]`

// launch starts an agent and the host that reads it. Call it in a bubble.
func launch(t *testing.T, o Options) *testHost {
	h := &testHost{t: t, a: Start(t.Context(), o), ended: make(chan struct{})}
	go h.listen()
	return h
}

// begin launches and initializes with the server demo.
func begin(t *testing.T, o Options, servers ...string) *testHost {
	h := launch(t, o)
	h.initialize(servers...)
	return h
}

func (h *testHost) initialize(servers ...string) {
	if len(servers) == 0 {
		servers = []string{"demo"}
	}
	names, _ := json.Marshal(servers)
	h.request("init", `"subtype":"initialize","sdkMcpServers":`+string(names))
}

// request sends a control request and waits until nothing moves.
func (h *testHost) request(id, fields string) {
	h.write(fmt.Sprintf(`{"type":"control_request","request_id":%q,"request":{%s}}`, id, fields))
	synctest.Wait()
}

func (h *testHost) prompt(uuid, text string) {
	h.queue(uuid, text)
	synctest.Wait()
}

func (h *testHost) queue(uuid, text string) {
	content, _ := json.Marshal(text)
	h.write(fmt.Sprintf(`{"type":"user","uuid":%q,"message":{"role":"user","content":%s},"parent_tool_use_id":null,"session_id":"default"}`, uuid, content))
}

func (h *testHost) write(line string) { h.a.Stdin().Write([]byte(line + "\n")) }

func (h *testHost) succeed(id, payload string) {
	h.write(fmt.Sprintf(`{"type":"control_response","response":{"subtype":"success","request_id":%q,"response":%s}}`, id, payload))
}

// end closes stdin and waits for the end of the agent.
func (h *testHost) end() error {
	h.a.Stdin().Close()
	err := h.a.Wait()
	<-h.ended
	return err
}

func (h *testHost) listen() {
	defer close(h.ended)
	r := bufio.NewReader(h.a.Stdout())
	for {
		b, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		l := agentLine{raw: strings.TrimSpace(string(b))}
		if !strings.HasPrefix(l.raw, "{") || json.Unmarshal(b, &l) != nil {
			h.mu.Lock()
			h.junk++
			h.mu.Unlock()
			continue
		}
		h.mu.Lock()
		h.lines, h.kinds = append(h.lines, l), append(h.kinds, l.kind())
		h.mu.Unlock()
		if l.Type == "control_request" {
			h.answer(l)
		}
	}
}

func (h *testHost) answer(l agentLine) {
	if l.Request.Message.Method == "tools/call" {
		h.mu.Lock()
		h.calls = append(h.calls, string(l.Request.Message.Params))
		h.mu.Unlock()
	}
	if h.reply != nil {
		switch s := h.reply(l); {
		case s == "-":
			return
		case strings.HasPrefix(s, "raw "):
			h.write(strings.ReplaceAll(s[4:], "ID", l.RequestID))
			return
		case s != "":
			h.succeed(l.RequestID, s)
			return
		}
	}
	switch l.Request.Subtype {
	case "can_use_tool":
		h.succeed(l.RequestID, `{"behavior":"allow","updatedInput":`+string(l.Request.Input)+`}`)
	case "hook_callback":
		h.succeed(l.RequestID, `{}`)
	case "mcp_message":
		h.succeed(l.RequestID, `{"mcp_response":`+h.mcp(l)+`}`)
	case "request_user_dialog":
	default:
		h.write(fmt.Sprintf(`{"type":"control_response","response":{"subtype":"error","request_id":%q,"error":"unsupported"}}`, l.RequestID))
	}
}

func (h *testHost) mcp(l agentLine) string {
	m := l.Request.Message
	if m.ID == nil {
		return `{"jsonrpc":"2.0","result":{}}`
	}
	return `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + h.result(l) + `}`
}

func (h *testHost) result(l agentLine) string {
	switch l.Request.Message.Method {
	case "initialize":
		return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"demo","version":"1"}}`
	case "tools/list":
		if h.tools != nil {
			return `{"tools":` + h.tools(l.Request.Server) + `}`
		}
		return `{"tools":` + strings.ReplaceAll(demoTools, "\n", "") + `}`
	}
	var p struct {
		Name      string
		Arguments struct{ Name string }
	}
	json.Unmarshal(l.Request.Message.Params, &p)
	if p.Name == "fail" {
		return textResult("no luck", true)
	}
	return textResult("Hello, "+p.Arguments.Name+"!", false)
}

func textResult(text string, isError bool) string {
	return fmt.Sprintf(`{"content":[{"type":"text","text":%q}],"isError":%v}`, text, isError)
}

// kind says in a few words what a line is.
func (l *agentLine) kind() string {
	switch l.Type {
	case "control_request":
		switch r := l.Request; r.Subtype {
		case "mcp_message":
			return "mcp " + r.Server + " " + r.Message.Method
		case "can_use_tool":
			return "ask " + r.Tool
		case "hook_callback":
			return "hook " + r.Callback
		default:
			return "request " + r.Subtype
		}
	case "control_response":
		if strings.Contains(l.Response.RequestID, "-") {
			return "echo"
		}
		return "answer " + l.Response.RequestID + " " + l.Response.Subtype
	case "system":
		if l.State != "" {
			return "state " + l.State
		}
		return "system " + l.Subtype
	case "assistant", "user":
		if l.Replay {
			return "replay " + l.UUID
		}
		var blocks []struct{ Type string }
		if json.Unmarshal(l.Message.Content, &blocks) == nil && len(blocks) > 0 {
			return l.Type + " " + blocks[0].Type
		}
		return l.Type
	case "result":
		return "result " + l.Subtype
	}
	return l.Type
}

// sequence is the lines so far in short, without echoes and command_lifecycle.
func (h *testHost) sequence() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(h.kinds), func(k string) bool { return k == "echo" || k == "command_lifecycle" })
}

func (h *testHost) count(kind string) int {
	n := 0
	for _, k := range h.sequence() {
		if k == kind {
			n++
		}
	}
	return n
}

// results are the result lines so far.
func (h *testHost) results() []agentLine {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(h.lines), func(l agentLine) bool { return l.Type != "result" })
}

// last is the last result; the test fails when there is none.
func (h *testHost) last() agentLine {
	h.t.Helper()
	rs := h.results()
	if len(rs) == 0 {
		h.t.Fatalf("no result after %q; problems %q", h.sequence(), h.a.Problems())
	}
	return rs[len(rs)-1]
}

func (h *testHost) find(kind string) (agentLine, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if i := slices.Index(h.kinds, kind); i >= 0 {
		return h.lines[i], true
	}
	return agentLine{}, false
}

func (h *testHost) wantProblems(want ...string) {
	h.t.Helper()
	got := h.a.Problems()
	if len(got) != len(want) {
		h.t.Errorf("problems %q, want %q", got, want)
		return
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			h.t.Errorf("problem %q, want it to say %q", got[i], want[i])
		}
	}
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	return asExit(err).Code
}

func greetOnce() []Turn {
	return []Turn{{Steps: []Step{{Calls: []ToolUse{{Name: "mcp__demo__greet", Input: `{"name":"Ada"}`}}}, {Text: "I said: $RESULT"}}}}
}

func callStep(names ...string) Step {
	var s Step
	for _, n := range names {
		s.Calls = append(s.Calls, ToolUse{Name: n})
	}
	return s
}
