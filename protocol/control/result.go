package control

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Result is the line that ends a turn.
type Result struct {
	Subtype           string
	IsError           bool // as on the wire: see Failed
	NumTurns          int
	Duration          time.Duration
	DurationAPI       time.Duration
	SessionID         string
	Text              string  // the answer, or the error text of an API failure
	CostUSD           float64 // total of the process
	Errors            []string
	PermissionDenials []json.RawMessage
	APIErrorStatus    int // of HTTP; 0 when there is none
	TerminalReason    string
	StopReason        string
	StructuredOutput  json.RawMessage
	Usage             json.RawMessage // of the turn
	ModelUsage        json.RawMessage // totals of the process
	UUID              string
}

// Result returns the line as the end of a turn. Fields that are missing, or of another shape, stay empty.
func (m Message) Result() (*Result, bool) {
	if m.Type != "result" {
		return nil, false
	}
	var w struct {
		Subtype           string            `json:"subtype"`
		IsError           bool              `json:"is_error"`
		NumTurns          int               `json:"num_turns"`
		Duration          float64           `json:"duration_ms"`
		DurationAPI       float64           `json:"duration_api_ms"`
		SessionID         string            `json:"session_id"`
		Text              string            `json:"result"`
		CostUSD           float64           `json:"total_cost_usd"`
		Errors            []json.RawMessage `json:"errors"`
		PermissionDenials []json.RawMessage `json:"permission_denials"`
		APIErrorStatus    int               `json:"api_error_status"`
		TerminalReason    string            `json:"terminal_reason"`
		StopReason        string            `json:"stop_reason"`
		StructuredOutput  json.RawMessage   `json:"structured_output"`
		Usage             json.RawMessage   `json:"usage"`
		ModelUsage        json.RawMessage   `json:"modelUsage"`
		UUID              string            `json:"uuid"`
	}
	_ = json.Unmarshal(m.Raw, &w) // it fills in all that fits and reports what does not
	r := &Result{
		Subtype: w.Subtype, IsError: w.IsError, NumTurns: w.NumTurns, Duration: milliseconds(w.Duration),
		DurationAPI: milliseconds(w.DurationAPI), SessionID: w.SessionID, Text: w.Text, CostUSD: w.CostUSD,
		PermissionDenials: w.PermissionDenials, APIErrorStatus: w.APIErrorStatus, TerminalReason: w.TerminalReason,
		StopReason: w.StopReason, StructuredOutput: w.StructuredOutput, Usage: w.Usage, ModelUsage: w.ModelUsage,
		UUID: w.UUID,
	}
	for _, e := range w.Errors {
		r.Errors = append(r.Errors, textOrRaw(e))
	}
	return r, true
}

// Failed reports whether the turn failed. Every error_ subtype did, whatever is_error says: CLI 2.1.33 sends them with
// false. A success with is_error is a failure of the API.
func (r *Result) Failed() bool { return r.IsError || strings.HasPrefix(r.Subtype, "error_") }

// Err is nil for a turn that went well, and a [*ResultError] for one that failed.
func (r *Result) Err() error {
	if !r.Failed() {
		return nil
	}
	return &ResultError{r}
}

// ResultError is a turn that failed.
type ResultError struct{ *Result }

// Error is the best text that the result has: its errors joined, else its text, else the subtype, else the HTTP status.
func (e *ResultError) Error() string {
	switch {
	case strings.TrimSpace(strings.Join(e.Errors, "")) != "":
		return strings.Join(e.Errors, "; ")
	case strings.TrimSpace(e.Text) != "":
		return e.Text
	case e.Subtype != "" && e.Subtype != "success":
		return e.Subtype
	case e.APIErrorStatus != 0:
		return "the API answered with HTTP status " + strconv.Itoa(e.APIErrorStatus)
	}
	return "the turn failed without saying why"
}

// Init is the line that begins every turn (system/init).
type Init struct {
	SessionID, CWD, Model, PermissionMode, Version string

	Tools        []string // as the model sees them; current CLIs may leave out those that are loaded on demand
	Servers      []ServerStatus
	Capabilities []string // nil in CLIs that list none
}

// ServerStatus is an MCP server and how the CLI stands with it, such as "connected".
type ServerStatus struct{ Name, Status string }

// Init returns the line as the beginning of a turn. Fields that are missing, or of another shape, stay empty.
func (m Message) Init() (*Init, bool) {
	if !m.system("init") {
		return nil, false
	}
	var w struct {
		SessionID      string         `json:"session_id"`
		CWD            string         `json:"cwd"`
		Model          string         `json:"model"`
		PermissionMode string         `json:"permissionMode"`
		Version        string         `json:"claude_code_version"`
		Tools          []string       `json:"tools"`
		Servers        []ServerStatus `json:"mcp_servers"`
		Capabilities   []string       `json:"capabilities"`
	}
	_ = json.Unmarshal(m.Raw, &w) // it fills in all that fits and reports what does not
	i := Init(w)
	return &i, true
}
