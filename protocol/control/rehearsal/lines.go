package rehearsal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/luatools/luatools/protocol/control"
)

// write sends one line to the host. JSON text in raw form goes out as it is.
func (a *Agent) write(v any) {
	if a.o.Silent || a.ctx.Err() != nil {
		return
	}
	var line bytes.Buffer
	if raw, ok := v.(json.RawMessage); ok {
		line.Write(raw)
		line.WriteByte('\n')
	} else {
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(v); err != nil { // a Script's input that is no JSON
			a.problem("a line of the agent does not encode: %v", err)
			return
		}
	}
	a.out.write(append(a.nextNoise(), line.Bytes()...))
}

// noises are what a CLI's stdout may carry beside the protocol.
var noises = []string{
	"\n",
	"[DEBUG] a line for people\n",
	`{"type":"assistant","message":{"role":` + "\n",
	"  \t\r\n",
	"[1,2,3]\n",
	"null\n",
}

func (a *Agent) nextNoise() []byte {
	if !a.o.Noise {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.noise++
	return []byte(noises[a.noise%len(noises)])
}

type initLine struct {
	Type           string        `json:"type"`
	Subtype        string        `json:"subtype"`
	CWD            string        `json:"cwd"`
	Session        string        `json:"session_id"`
	Tools          []string      `json:"tools"`
	Servers        []serverState `json:"mcp_servers"`
	Model          string        `json:"model"`
	PermissionMode string        `json:"permissionMode"`
	Commands       []string      `json:"slash_commands"`
	Version        string        `json:"claude_code_version"`
	OutputStyle    string        `json:"output_style"`
	Capabilities   []string      `json:"capabilities,omitempty"`
	UUID           string        `json:"uuid"`
}

// builtins are the tools of the CLI that the agent pretends to have. It asks about them and runs none.
var builtins = []string{"Task", "Bash", "Glob", "Grep", "Read", "Edit", "Write", "WebFetch", "WebSearch"}

func (a *Agent) writeInit() {
	l := initLine{Type: "system", Subtype: "init", CWD: a.o.Dir, Session: a.session, Servers: a.serverStates(false),
		Commands: []string{}, Version: a.o.version(), OutputStyle: "default", UUID: control.NewUUID()}
	if l.CWD == "" {
		l.CWD, _ = os.Getwd()
	}
	l.Tools = append(l.Tools, builtins...)
	for _, t := range a.tools() {
		l.Tools = append(l.Tools, t.wire())
	}
	if !a.o.Old {
		l.Capabilities = []string{"interrupt_receipt_v1", "interrupt_cancel_queued_v1"}
		if a.o.relist() == RelistOnNotice {
			l.Capabilities = append(l.Capabilities, "sdk_mcp_tools_list_changed")
		}
	}
	a.mu.Lock()
	l.Model, l.PermissionMode = a.model, a.mode
	a.mu.Unlock()
	a.write(l)
}

type assistantLine struct {
	Type    string       `json:"type"`
	Message modelMessage `json:"message"`
	Parent  *string      `json:"parent_tool_use_id"`
	Session string       `json:"session_id"`
	UUID    string       `json:"uuid"`
	Error   string       `json:"error,omitempty"`
	Status  int          `json:"api_error_status,omitempty"`
}

type modelMessage struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Model   string          `json:"model"`
	Content []any           `json:"content"`
	Stop    *string         `json:"stop_reason"`
	Usage   json.RawMessage `json:"usage"`
}

type textBlock struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type toolUseBlock struct {
	Type  string          `json:"type"`
	ID    string          `json:"id"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

var noUsage = json.RawMessage(`{"input_tokens":0,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":0}`)

// assistant is one content block of the message with the given number.
func (a *Agent) assistant(message int, block any) assistantLine {
	a.mu.Lock()
	model := a.model
	a.mu.Unlock()
	return assistantLine{Type: "assistant", Session: a.session, UUID: control.NewUUID(), Message: modelMessage{
		ID: fmt.Sprintf("msg_%04d", message), Type: "message", Role: "assistant", Model: model, Content: []any{block}, Usage: noUsage}}
}

type userLine struct {
	Type    string      `json:"type"`
	Message userMessage `json:"message"`
	Parent  *string     `json:"parent_tool_use_id"`
	Session string      `json:"session_id"`
	UUID    string      `json:"uuid"`
	Replay  bool        `json:"isReplay,omitempty"`
	Result  any         `json:"tool_use_result,omitempty"`
}

type userMessage struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

type toolResultBlock struct {
	Type      string          `json:"type"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   bool            `json:"is_error,omitempty"`
}

func (a *Agent) user(content any) userLine {
	return userLine{Type: "user", Message: userMessage{"user", content}, Session: a.session, UUID: control.NewUUID()}
}

type resultHead struct {
	Type     string   `json:"type"`
	Subtype  string   `json:"subtype"`
	IsError  bool     `json:"is_error"`
	Duration int64    `json:"duration_ms"`
	Turns    int      `json:"num_turns"`
	Result   *string  `json:"result,omitempty"`
	Errors   []string `json:"errors,omitzero"`
	Status   int      `json:"api_error_status,omitempty"`
}

type resultTail struct {
	APIDuration int64    `json:"duration_api_ms"`
	Stop        *string  `json:"stop_reason"`
	Session     string   `json:"session_id"`
	Cost        float64  `json:"total_cost_usd"`
	Usage       any      `json:"usage"`
	ModelUsage  struct{} `json:"modelUsage"`
	Denials     []denial `json:"permission_denials"`
	Reason      string   `json:"terminal_reason,omitempty"`
	UUID        string   `json:"uuid"`
}

type denial struct {
	Tool  string          `json:"tool_name"`
	ID    string          `json:"tool_use_id"`
	Input json.RawMessage `json:"tool_input"`
}

// writeResult writes the line that ends a turn; that of a current CLI does not begin with its type.
func (a *Agent) writeResult(h resultHead, t resultTail) {
	if a.o.Old {
		a.write(struct {
			resultHead
			resultTail
		}{h, t})
		return
	}
	a.write(struct {
		resultTail
		resultHead
		Queued int `json:"queued_turn_count"`
	}{t, h, 0})
}

// state sends session_state_changed when the options ask for it.
func (a *Agent) state(state string) {
	if !a.o.SessionState {
		return
	}
	a.write(struct {
		Type    string `json:"type"`
		Subtype string `json:"subtype"`
		State   string `json:"state"`
		Session string `json:"session_id"`
		UUID    string `json:"uuid"`
	}{"system", "session_state_changed", state, a.session, control.NewUUID()})
}

// lifecycle tells what became of a prompt with a uuid; current CLIs only.
func (a *Agent) lifecycle(p prompt, state string) {
	if a.o.Old || p.uuid == "" || a.o.NoReplay {
		return
	}
	a.write(struct {
		Type    string `json:"type"`
		Prompt  string `json:"command_uuid"`
		State   string `json:"state"`
		UUID    string `json:"uuid"`
		Session string `json:"session_id"`
	}{"command_lifecycle", p.uuid, state, control.NewUUID(), a.session})
}

// extras writes the lines of a turn that only options ask for.
func (a *Agent) extras(first bool) {
	if first && a.o.HugeLine > 0 {
		head, tail := `{"type":"system","subtype":"rehearsal_padding","padding":"`, `"}`
		fill := max(a.o.HugeLine-len(head)-len(tail), 0)
		a.write(json.RawMessage(head + strings.Repeat("x", fill) + tail))
	}
	if a.o.UnknownTypes {
		for _, l := range []string{
			`{"type":"weather_report","sky":{"clouds":[1,2]}}`,
			`{"type":"system","subtype":"never_heard_of","session_id":"` + a.session + `"}`,
			`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed"}}`,
			`{"type":"keep_alive"}`,
			`{"type":"assistant","message":{"id":"msg_x","role":"assistant","content":[{"type":"hologram","data":null}]},"parent_tool_use_id":null}`,
		} {
			a.write(json.RawMessage(l))
		}
	}
	for i := range a.o.APIRetries {
		if !a.o.Old { // old CLIs retry in silence
			a.write(json.RawMessage(fmt.Sprintf(`{"type":"system","subtype":"api_retry","attempt":%d,"max_retries":10,"retry_delay_ms":500,"error_status":529,"session_id":%q}`, i+1, a.session)))
		}
	}
}
