// Package mcp is the server side of the Model Context Protocol: the methods, the types of tools and results, and the stdio transport.
package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/luatools/luatools/protocol"
)

var errTODO = errors.New("not built yet")

// LatestVersion is what initialize answers to a revision we do not know.
const LatestVersion = "2025-11-25"

// Catalog is what a Server offers. host implements it: one view for each server of a session, one of all tools for serve.
type Catalog interface {
	// ToolList returns the JSON array of tools, sorted by name, encoded once per snapshot.
	ToolList() json.RawMessage
	// CallTool runs one tool. An error is a protocol error (a *protocol.Error keeps its code, any other is -32603);
	// a tool's own failure is a result with IsError.
	CallTool(context.Context, *CallToolParams) (*CallToolResult, error)
}

// CallToolParams is what tools/call carries.
type CallToolParams struct {
	Name          string
	Arguments     json.RawMessage // "{}" when the client sent none
	ToolUseID     string          // _meta "claudecode/toolUseId", empty elsewhere
	ProgressToken json.RawMessage // _meta "progressToken", exact bytes; nil when there is none
}

// CallToolResult is the result of tools/call.
type CallToolResult struct {
	Content           []Content
	StructuredContent json.RawMessage // a JSON object; nil when there is none
	IsError           bool
	Meta              json.RawMessage // a JSON object for _meta; nil when there is none
}

// Content is one block of a result. Type says which other fields count.
type Content struct {
	Type        string          // "text", "image", "audio", "resource_link", "resource"
	Text        string          // text
	Data        string          // image, audio: base64
	MIMEType    string          // image, audio, resource_link
	URI, Name   string          // resource_link
	Title       string          // resource_link
	Description string          // resource_link
	Size        int64           // resource_link, bytes; 0 is left out
	Resource    json.RawMessage // resource: the object {uri, mimeType, text|blob}
	Annotations json.RawMessage // object; nil when there are none
	Meta        json.RawMessage // object for _meta; nil when there is none
}

// Tool is one entry of tools/list.
type Tool struct {
	Name         string
	Title        string
	Description  string
	InputSchema  json.RawMessage // an object schema
	OutputSchema json.RawMessage // nil when there is none
	Annotations  json.RawMessage // nil when there are none
	Icons        json.RawMessage // array; nil when there are none
	Meta         json.RawMessage // nil when there is none
}

// AppendJSON implements protocol.Appender.
func (t *Tool) AppendJSON(dst []byte) ([]byte, error) { return dst, errTODO }

// AppendJSON implements protocol.Appender.
func (r *CallToolResult) AppendJSON(dst []byte) ([]byte, error) { return dst, errTODO }

// TextResult is a result of one text block.
func TextResult(text string) *CallToolResult {
	return &CallToolResult{Content: []Content{{Type: "text", Text: text}}}
}

// ErrorResult is a failure that the model reads.
func ErrorResult(text string) *CallToolResult {
	r := TextResult(text)
	r.IsError = true
	return r
}

// Info names a server in its answer to initialize.
type Info struct{ Name, Title, Version, Instructions string }

// ClientInfo is what the client said of itself in initialize.
type ClientInfo struct{ Name, Version, ProtocolVersion string }

// Options configures a Server. The zero value is one page and no hook.
type Options struct {
	PageSize   int              // tools a page of tools/list; 0 means all on one
	Initialize func(ClientInfo) // called at each initialize, before the answer; must not block
}

// Server answers MCP methods from a Catalog. It keeps no state between requests, so a repeated handshake is harmless.
type Server struct{}

func NewServer(info Info, c Catalog, o Options) *Server { return &Server{} }

// Handle answers one request; nil for a notification. Safe for concurrent use. notifications/cancelled is the transport's affair.
func (s *Server) Handle(ctx context.Context, req *protocol.Request) *protocol.Response { return nil }

// CancelledID returns the requestId of a notifications/cancelled, as exact bytes, and its reason.
func CancelledID(req *protocol.Request) (id, reason string) { return "", "" }

// Notifier sends a notification to the client of the connection that a call came by. Safe for concurrent use; never waits for an acknowledgement.
type Notifier interface {
	Notify(method string, params protocol.Appender) error
}

// WithNotifier returns a context that carries n to the tools called under it.
func WithNotifier(ctx context.Context, n Notifier) context.Context { return ctx }

// NotifierFrom returns the connection's Notifier, or nil.
func NotifierFrom(ctx context.Context) Notifier { return nil }

// LinesOptions configures ServeLines. The zero value takes lines up to protocol.DefaultMaxLine.
type LinesOptions struct {
	MaxLine int
	// Notify receives, before reading starts, the connection's Notifier, for notifications/tools/list_changed. It may be nil.
	Attach func(Notifier)
}

// ServeLines serves MCP on newline-delimited JSON until r ends or ctx is done: each request in its own goroutine. At the end of input
// running calls get 2 s, the rest is cancelled. It returns only when all have ended.
func (s *Server) ServeLines(ctx context.Context, r io.Reader, w io.Writer, o LinesOptions) error {
	return errTODO
}
