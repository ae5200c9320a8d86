package rehearsal

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// hostRequest is the request object of a control_request of the host, with the fields of all subtypes.
type hostRequest struct {
	Subtype     string                   `json:"subtype"`
	Servers     json.RawMessage          `json:"servers"`
	SDKServers  []string                 `json:"sdkMcpServers"`
	Hooks       map[string][]hostMatcher `json:"hooks"`
	Mode        string                   `json:"mode"`
	Model       *string                  `json:"model"`
	ServerName  string                   `json:"server_name"`
	Message     json.RawMessage          `json:"message"`
	CancelQueue bool                     `json:"cancel_queued"`
}

type hostMatcher struct {
	Matcher     string   `json:"matcher"`
	CallbackIDs []string `json:"hookCallbackIds"`
}

// requested answers a control request of the host. It is called by the reader and does not wait.
func (a *Agent) requested(id string, raw json.RawMessage) {
	if id == "" || a.seen(id) {
		a.problem("a control_request has an id that is missing or used before: %q", id)
	}
	var r hostRequest
	if err := json.Unmarshal(raw, &r); err != nil {
		a.refuse(id, fmt.Sprintf("Invalid request: %v", err))
		a.problem("the control_request %s does not decode: %v", id, err)
		return
	}
	switch r.Subtype {
	case "initialize":
		a.initialize(id, &r)
	case "interrupt":
		a.interrupt(id, r.CancelQueue)
	case "mcp_message":
		a.succeed(id, nil)
		a.noticed(r.ServerName, r.Message)
	case "mcp_set_servers":
		a.setServers(id, r.Servers)
	case "mcp_status":
		a.succeed(id, a.serverStatus())
	case "set_permission_mode":
		a.setMode(id, r.Mode)
	case "set_model":
		a.setModel(id, r.Model)
	case "set_max_thinking_tokens":
		a.succeed(id, nil)
	case "mcp_reconnect", "mcp_toggle":
		a.refuse(id, "Cannot reconnect an in-process server")
	case "rewind_files":
		a.succeed(id, json.RawMessage(`{"canRewind":false,"error":"File rewinding is not enabled."}`))
	default:
		if !a.o.Old { // an old CLI says nothing
			a.refuse(id, "Unsupported control request subtype: "+r.Subtype)
		}
	}
}

// seen notes an id of the host and reports whether it was there before.
func (a *Agent) seen(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.heard[id]
	a.heard[id] = true
	return before
}

func (a *Agent) initialize(id string, r *hostRequest) {
	a.mu.Lock()
	again := a.greeted
	a.greeted = true
	a.mu.Unlock()
	if again && a.o.Old {
		a.refuse(id, "Already initialized")
		return
	}
	hooks, err := compileHooks(r.Hooks)
	if err != nil {
		a.refuse(id, err.Error())
		return
	}
	if len(r.SDKServers) == 0 && again {
		r.SDKServers = a.serverNames()
	}
	moment := a.o.handshake()
	a.mu.Lock()
	a.hooks = hooks
	a.relist = moment != HandshakeEarly
	a.mu.Unlock()
	a.declare(r.SDKServers)
	if moment == HandshakeLate {
		a.succeed(id, a.initializeAnswer())
		return
	}
	a.shakeHands(func() { a.succeed(id, a.initializeAnswer()) })
}

func compileHooks(events map[string][]hostMatcher) (map[string][]hook, error) {
	hooks := map[string][]hook{}
	for event, matchers := range events {
		for _, m := range matchers {
			pattern := m.Matcher
			if pattern == "" || pattern == "*" {
				pattern = ".*"
			}
			re, err := regexp.Compile("^(?:" + pattern + ")$")
			if err != nil {
				return nil, fmt.Errorf("hook matcher %q: %w", m.Matcher, err)
			}
			for _, callback := range m.CallbackIDs {
				hooks[event] = append(hooks[event], hook{re, callback})
			}
		}
	}
	return hooks, nil
}

func (a *Agent) setMode(id, mode string) {
	if !slices.Contains([]string{"default", "acceptEdits", "plan", "bypassPermissions", "dontAsk"}, mode) {
		a.refuse(id, "Unknown permission mode: "+mode)
		return
	}
	a.mu.Lock()
	a.mode = mode
	a.mu.Unlock()
	a.succeed(id, struct {
		Mode string `json:"mode"`
	}{mode})
}

func (a *Agent) setModel(id string, model *string) {
	name := "rehearsal"
	if model != nil {
		name = *model
	}
	a.mu.Lock()
	a.model = name
	a.mu.Unlock()
	if a.o.Old {
		a.succeed(id, nil)
		return
	}
	a.succeed(id, struct {
		Model string `json:"model"`
	}{name})
}

// noticed takes a message of the host to the MCP client of one server.
func (a *Agent) noticed(server string, raw json.RawMessage) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if err := json.Unmarshal(raw, &m); err != nil || m.Method == "" {
		a.problem("mcp_message to %s carries no message: %.80s", server, raw)
		return
	}
	if m.ID != nil {
		a.problem("mcp_message to %s is a request, which no CLI answers: %s", server, m.Method)
	}
	if m.Method == "notifications/tools/list_changed" && a.o.relist() == RelistOnNotice {
		a.relistLater(server)
	}
}

// setServers replaces the declared servers. All of them are asked again: at once, or when Old before the next turn, and then only
// when one of them is new.
func (a *Agent) setServers(id string, raw json.RawMessage) {
	var configs map[string]struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
	if err := json.Unmarshal(raw, &configs); err != nil {
		a.refuse(id, "Invalid servers")
		a.problem("mcp_set_servers: %v", err)
		return
	}
	answer := struct {
		Added   []string          `json:"added"`
		Removed []string          `json:"removed"`
		Errors  map[string]string `json:"errors"`
	}{[]string{}, []string{}, map[string]string{}}
	before := a.serverNames()
	var names []string
	for name, c := range configs {
		if c.Type != "sdk" || c.Name == "" {
			answer.Errors[name] = "only in-process servers can be rehearsed: want type sdk and a name"
			continue
		}
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		if !slices.Contains(before, name) {
			answer.Added = append(answer.Added, name)
		}
	}
	for _, name := range before {
		if !slices.Contains(names, name) {
			answer.Removed = append(answer.Removed, name)
		}
	}
	unmet := a.declare(names)
	if a.o.Old {
		a.mu.Lock()
		a.relist = a.relist || unmet
		a.mu.Unlock()
		a.succeed(id, answer)
		return
	}
	a.succeed(id, answer)
	a.shakeHands(func() {})
}

// interrupt ends the running turn; its goroutine answers, after it has withdrawn what is open.
func (a *Agent) interrupt(id string, cancelQueued bool) {
	if a.o.IgnoreInterrupt {
		return
	}
	a.mu.Lock()
	var cancelled []string
	if cancelQueued && !a.o.Old {
		for _, p := range a.prompts {
			cancelled = append(cancelled, p.uuid)
		}
		a.prompts = nil
	}
	stop := a.stop
	if stop != nil {
		a.interrupts = append(a.interrupts, id)
	}
	a.mu.Unlock()
	if stop == nil {
		a.interruptAnswered(id, cancelled)
		return
	}
	stop(errInterrupted)
}

func (a *Agent) interruptAnswered(id string, cancelled []string) {
	if a.o.Old {
		a.succeed(id, nil)
		return
	}
	queued := []string{}
	a.mu.Lock()
	for _, p := range a.prompts {
		queued = append(queued, p.uuid)
	}
	a.mu.Unlock()
	a.succeed(id, struct {
		Queued    []string `json:"still_queued"`
		Cancelled []string `json:"cancelled,omitempty"`
	}{queued, cancelled})
}

func (a *Agent) initializeAnswer() any {
	type model struct {
		Value string `json:"value"`
		Name  string `json:"displayName"`
	}
	type answer struct {
		Commands     []string          `json:"commands"`
		OutputStyle  string            `json:"output_style"`
		Styles       []string          `json:"available_output_styles"`
		Models       []model           `json:"models"`
		Account      map[string]string `json:"account"`
		Capabilities []string          `json:"capabilities,omitempty"`
		Version      string            `json:"claude_code_version,omitempty"`
	}
	r := answer{Commands: []string{}, OutputStyle: "default", Styles: []string{"default"},
		Models: []model{{"rehearsal", "Rehearsal (no model)"}}, Account: map[string]string{}}
	if !a.o.Old {
		r.Capabilities, r.Version = []string{"interrupt_receipt_v1"}, a.o.version()
	}
	return r
}

type controlAnswer struct {
	Type     string       `json:"type"`
	Response answerDetail `json:"response"`
}

type answerDetail struct {
	Subtype   string `json:"subtype"`
	RequestID string `json:"request_id"`
	Response  any    `json:"response,omitempty"`
	Error     string `json:"error,omitempty"`
	Code      string `json:"error_code,omitempty"`
}

func (a *Agent) succeed(id string, payload any) {
	a.write(controlAnswer{"control_response", answerDetail{Subtype: "success", RequestID: id, Response: payload}})
}

func (a *Agent) refuse(id, text string) {
	d := answerDetail{Subtype: "error", RequestID: id, Error: text}
	if strings.HasPrefix(text, "Unsupported") {
		d.Code = "unsupported_request"
	}
	a.write(controlAnswer{"control_response", d})
}
