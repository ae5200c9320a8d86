package control

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/luatools/luatools/protocol"
)

// Message is one line of the conversation as it came, of known type or not. Lines of the control protocol are none. Its
// methods look only for what they are asked, and answer with the zero value when the line has nothing of the kind.
type Message struct {
	Type    string // "assistant", "user", "system", "result", …; empty when the line has none
	Subtype string
	Raw     json.RawMessage // the whole line, one valid JSON object
}

// ToolUse is a tool_use block of an assistant message.
type ToolUse struct {
	ID, Name string // the name as the model calls it, such as mcp__tools__greet
	Input    json.RawMessage
}

// ToolResult is a tool_result block of a user message.
type ToolResult struct {
	ToolUseID string
	IsError   bool            // null and missing count as false
	Content   json.RawMessage // a string, or a list of blocks
}

// UUID is the line's own id.
func (m Message) UUID() string { return text(member(m.Raw, "uuid")) }

// SessionID is the id of the session, under which it can be resumed.
func (m Message) SessionID() string { return text(member(m.Raw, "session_id")) }

// ParentToolUseID names the tool use that started the agent which speaks here; empty for the main conversation.
func (m Message) ParentToolUseID() string { return text(member(m.Raw, "parent_tool_use_id")) }

// IsReplay reports whether the line is the echo of a prompt of ours, sent when the CLI takes it up. Its UUID is the prompt's.
func (m Message) IsReplay() bool { return m.Type == "user" && isTrue(member(m.Raw, "isReplay")) }

// ToolUses are the tools that an assistant message wants to use.
func (m Message) ToolUses() (uses []ToolUse) {
	m.blocks("assistant", "tool_use", func(b []byte) {
		uses = append(uses, ToolUse{ID: text(member(b, "id")), Name: text(member(b, "name")), Input: member(b, "input")})
	})
	return uses
}

// ToolResults are the results that a user message brings.
func (m Message) ToolResults() (results []ToolResult) {
	m.blocks("user", "tool_result", func(b []byte) {
		results = append(results, ToolResult{ToolUseID: text(member(b, "tool_use_id")), IsError: isTrue(member(b, "is_error")), Content: member(b, "content")})
	})
	return results
}

// Text is the text of an assistant message: its text blocks, one after the other.
func (m Message) Text() string {
	var s strings.Builder
	m.blocks("assistant", "text", func(b []byte) { s.WriteString(text(member(b, "text"))) })
	return s.String()
}

// blocks calls f with each content block of one type in a message of one type; content that is a string has none.
func (m Message) blocks(message, block string, f func(b []byte)) {
	if m.Type != message {
		return
	}
	content := member(member(m.Raw, "message"), "content")
	if len(content) == 0 || content[0] != '[' {
		return
	}
	_ = protocol.Elements(content, func(b []byte) bool { // part of a line that was checked
		if text(member(b, "type")) == block {
			f(b)
		}
		return true
	})
}

// AssistantError is the error of an assistant message, such as "authentication_failed". That is the only sign of a CLI
// that is not logged in.
func (m Message) AssistantError() string {
	if m.Type != "assistant" {
		return ""
	}
	return text(member(m.Raw, "error"))
}

// SessionState is "idle", "running" or "requires_action" when the line says that the session's state changed.
func (m Message) SessionState() string {
	if !m.system("session_state_changed") {
		return ""
	}
	return text(member(m.Raw, "state"))
}

// Task is what a line tells of a task that the CLI runs beside the conversation.
type Task struct {
	ID     string
	Type   string // of a start, such as "local_agent"
	Status string // of a change, such as "completed"
}

// TaskStarted returns the task that began.
func (m Message) TaskStarted() (Task, bool) {
	if !m.system("task_started") {
		return Task{}, false
	}
	return Task{ID: text(member(m.Raw, "task_id")), Type: text(member(m.Raw, "task_type"))}, true
}

// TaskEnded returns the task that came to its end: completed, failed, killed or stopped.
func (m Message) TaskEnded() (Task, bool) {
	t := Task{}
	switch {
	case m.system("task_notification"):
		t.Status = text(member(m.Raw, "status"))
	case m.system("task_updated"):
		t.Status = text(member(member(m.Raw, "patch"), "status"))
	}
	switch t.Status {
	case "completed", "failed", "killed", "stopped":
		t.ID = text(member(m.Raw, "task_id"))
		return t, true
	}
	return Task{}, false
}

// APIRetry is a request to the API that failed and is tried again. CLIs as old as 2.1.33 retry in silence.
type APIRetry struct {
	Attempt, Max int
	Delay        time.Duration
	Status       int // of HTTP; 0 when there was no answer
	Error        string
}

// APIRetry returns what a system/api_retry line says.
func (m Message) APIRetry() (*APIRetry, bool) {
	if !m.system("api_retry") {
		return nil, false
	}
	var w struct {
		Attempt int             `json:"attempt"`
		Max     int             `json:"max_retries"`
		Delay   float64         `json:"retry_delay_ms"`
		Status  int             `json:"error_status"`
		Error   json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(m.Raw, &w) // a field of another shape stays empty
	return &APIRetry{w.Attempt, w.Max, milliseconds(w.Delay), w.Status, textOrRaw(w.Error)}, true
}

func (m Message) system(subtype string) bool { return m.Type == "system" && m.Subtype == subtype }

func milliseconds(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// textOrRaw returns the text of a JSON string, other JSON as it is, and "" for null.
func textOrRaw(raw json.RawMessage) string {
	if s, ok := protocol.Unquote(raw); ok {
		return s
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}
