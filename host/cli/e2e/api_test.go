//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// api is a stand-in for the Messages API. Each request of the main conversation gets the next reply; what a CLI asks
// beside it (a quota probe, a title) gets a harmless answer and uses up none.
type api struct {
	*httptest.Server

	mu       sync.Mutex
	replies  []reply
	requests []request // of the main conversation
	ids      int
}

// reply is one answer: blocks, or an error, held back until hold is closed.
type reply struct {
	blocks []block
	status int    // of an error
	kind   string // its type
	hold   <-chan struct{}
}

// block is a content block of a reply. $RESULT in a text is replaced by the text of the last tool result.
type block struct {
	Type  string          `json:"type"`
	Text  string          `json:"text,omitempty"`
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
}

func says(text string) reply { return reply{blocks: []block{{Type: "text", Text: text}}} }

func calls(name, input string) reply {
	return reply{blocks: []block{{Type: "tool_use", Name: name, Input: json.RawMessage(input)}}}
}

// request is what the model was given.
type request struct {
	tools   []toolDefinition
	system  string
	users   []string // texts of all user messages
	results []toolResult
	added   []string // tools that a message of the conversation makes known: their definitions are marked as deferred, so that the cache holds
}

type toolDefinition struct {
	Name         string          `json:"name"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	DeferLoading bool            `json:"defer_loading"`
}

// toolResult is a tool_result block that came after the last message of the model.
type toolResult struct {
	id, text string
	isError  bool
}

func (r *request) tool(name string) (toolDefinition, bool) {
	i := slices.IndexFunc(r.tools, func(t toolDefinition) bool { return t.Name == name })
	if i < 0 {
		return toolDefinition{}, false
	}
	return r.tools[i], true
}

func (r *request) toolNames() []string {
	var names []string
	for _, t := range r.tools {
		names = append(names, t.Name)
	}
	return names
}

// serveAPI starts an API that ends with the test.
func serveAPI(t *testing.T, replies ...reply) *api {
	a := &api{replies: replies}
	a.Server = httptest.NewServer(a)
	t.Cleanup(func() {
		a.CloseClientConnections()
		a.Close()
	})
	return a
}

// main returns the requests of the main conversation so far.
func (a *api) main() []request {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.requests)
}

// message is the body of a request.
type message struct {
	MaxTokens int              `json:"max_tokens"`
	Model     string           `json:"model"`
	Stream    bool             `json:"stream"`
	System    content          `json:"system"`
	Tools     []toolDefinition `json:"tools"`
	Output    struct {
		Format json.RawMessage `json:"format"`
	} `json:"output_config"`
	OutputFormat json.RawMessage `json:"output_format"`
	Messages     []struct {
		Role    string  `json:"role"`
		Content content `json:"content"`
	} `json:"messages"`
}

// content is a string or a list of blocks.
type content []contentBlock

type contentBlock struct {
	Type      string  `json:"type"`
	Text      string  `json:"text"`
	ToolUseID string  `json:"tool_use_id"`
	IsError   bool    `json:"is_error"`
	Content   content `json:"content"`
	Tool      struct {
		Name string `json:"name"`
	} `json:"tool"` // of a tool_addition
}

func (c *content) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*c = content{{Type: "text", Text: text}}
		return nil
	}
	return json.Unmarshal(b, (*[]contentBlock)(c))
}

func (c content) text() string {
	var texts []string
	for _, b := range c {
		if b.Type == "text" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// ServeHTTP implements [http.Handler].
func (a *api) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/v1/messages/count_tokens":
		writeJSON(w, 200, map[string]int{"input_tokens": len(body)/4 + 1})
	case r.Method == http.MethodPost && r.URL.Path == "/v1/messages":
		a.converse(w, r, body)
	case r.Method == http.MethodHead:
		w.WriteHeader(200)
	default:
		writeError(w, 404, "not_found_error")
	}
}

func (a *api) converse(w http.ResponseWriter, r *http.Request, body []byte) {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		writeError(w, 400, "invalid_request_error")
		return
	}
	if m.isAside() {
		a.answer(w, m, []block{{Type: "text", Text: "ok"}})
		return
	}
	next, last := a.next(m)
	if next.hold != nil {
		select {
		case <-next.hold:
		case <-r.Context().Done():
			return
		}
	}
	if next.status != 0 {
		writeError(w, next.status, next.kind)
		return
	}
	blocks := slices.Clone(next.blocks)
	for i := range blocks {
		blocks[i].Text = strings.ReplaceAll(blocks[i].Text, "$RESULT", last)
		if blocks[i].Type == "tool_use" {
			blocks[i].ID = a.id("toolu")
		}
	}
	a.answer(w, m, blocks)
}

var asides = regexp.MustCompile(`(?i)\btitle\b|new conversation topic|\bsummar(y|ize|ise)|suggest|extract any file paths|command prefix`)

// isAside reports whether a request is not one of the main conversation.
func (m *message) isAside() bool {
	if m.MaxTokens <= 1 {
		return true
	}
	if len(m.Tools) > 0 {
		return false
	}
	if m.Output.Format != nil || m.OutputFormat != nil {
		return true
	}
	system := m.System.text()
	return len(system) < 6000 && asides.MatchString(system[:min(len(system), 1500)])
}

// next notes a request of the main conversation and returns its reply and the text of the last tool result.
func (a *api) next(m message) (reply, string) {
	req := request{tools: m.Tools, system: m.System.text()}
	for _, msg := range m.Messages {
		for _, b := range msg.Content {
			if b.Type == "tool_addition" {
				req.added = append(req.added, b.Tool.Name)
			}
		}
		switch msg.Role {
		case "assistant":
			req.results = nil
		case "user":
			req.users = append(req.users, msg.Content.text())
			for _, b := range msg.Content {
				if b.Type == "tool_result" {
					req.results = append(req.results, toolResult{b.ToolUseID, b.Content.text(), b.IsError})
				}
			}
		}
	}
	last := ""
	if n := len(req.results); n > 0 {
		last = req.results[n-1].text
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.requests = append(a.requests, req)
	if len(a.replies) == 0 {
		return says("(the script has ended)"), last
	}
	next := a.replies[0]
	a.replies = a.replies[1:]
	return next, last
}

// id makes an id that is used once: CLIs take messages with the same id for parts of one.
func (a *api) id(kind string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.ids++
	return fmt.Sprintf("%s_e2e%04d", kind, a.ids)
}

type modelMessage struct {
	ID         string  `json:"id"`
	Type       string  `json:"type"`
	Role       string  `json:"role"`
	Model      string  `json:"model"`
	Content    []block `json:"content"`
	StopReason *string `json:"stop_reason"`
	Usage      usage   `json:"usage"`
}

type usage struct {
	Input  int `json:"input_tokens"`
	Output int `json:"output_tokens"`
}

// answer writes one message, as events or as one object.
func (a *api) answer(w http.ResponseWriter, m message, blocks []block) {
	stop := "end_turn"
	if slices.ContainsFunc(blocks, func(b block) bool { return b.Type == "tool_use" }) {
		stop = "tool_use"
	}
	msg := modelMessage{ID: a.id("msg"), Type: "message", Role: "assistant", Model: m.Model, Content: blocks, StopReason: &stop, Usage: usage{10, 5}}
	if !m.Stream {
		writeJSON(w, 200, msg)
		return
	}
	w.Header().Set("content-type", "text/event-stream; charset=utf-8")
	msg.Content, msg.StopReason, msg.Usage = []block{}, nil, usage{10, 1}
	event(w, "message_start", map[string]any{"message": msg})
	for i, b := range blocks {
		stream(w, i, b)
	}
	event(w, "message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]int{"output_tokens": 5}})
	event(w, "message_stop", map[string]any{})
}

// stream writes the events of one block, its content in two halves.
func stream(w http.ResponseWriter, i int, b block) {
	start, kind, key, whole := map[string]any{"type": "text", "text": ""}, "text_delta", "text", b.Text
	if b.Type == "tool_use" {
		start = map[string]any{"type": "tool_use", "id": b.ID, "name": b.Name, "input": struct{}{}}
		kind, key, whole = "input_json_delta", "partial_json", string(b.Input)
	}
	event(w, "content_block_start", map[string]any{"index": i, "content_block": start})
	half := len(whole) / 2
	for half > 0 && whole[half]&0xC0 == 0x80 { // not inside a character
		half--
	}
	for _, part := range []string{whole[:half], whole[half:]} {
		event(w, "content_block_delta", map[string]any{"index": i, "delta": map[string]any{"type": kind, key: part}})
	}
	event(w, "content_block_stop", map[string]any{"index": i})
}

func event(w http.ResponseWriter, kind string, fields map[string]any) {
	fields["type"] = kind
	b, err := json.Marshal(fields)
	if err != nil {
		panic(err) // the fields are made here
	}
	fmt.Fprintf(w, "event: %s\ndata: %s\n\n", kind, b)
	w.(http.Flusher).Flush()
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("content-type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

// writeError writes an error that the CLI does not try again: both would for more than a minute.
func writeError(w http.ResponseWriter, status int, kind string) {
	w.Header().Set("x-should-retry", "false")
	writeJSON(w, status, map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": "scripted " + kind}})
}
