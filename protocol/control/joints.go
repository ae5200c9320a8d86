// Package control is the SDK side of the Claude CLI's control protocol: newline-delimited JSON on the CLI's stdin and stdout.
package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/luatools/luatools/protocol"
)

var errTODO = errors.New("not built yet")

// Handler answers what the CLI asks. Methods run concurrently, each request in its own goroutine; Message and Written never block.
type Handler interface {
	CanUseTool(context.Context, *PermissionRequest) (*PermissionResult, error)
	// MCPMessage answers a JSON-RPC message to one of our servers; a nil response acknowledges a notification. notifications/cancelled has been
	// acted on already by the Conn.
	MCPMessage(ctx context.Context, server string, req *protocol.Request) (*protocol.Response, error)
	Hook(context.Context, *HookRequest) (*HookResult, error)
	Message(Message)
	Written(server string, req *protocol.Request)
}

// PermissionRequest is can_use_tool.
type PermissionRequest struct {
	ToolName                                                              string
	Input                                                                 json.RawMessage
	ToolUseID                                                             string
	Suggestions                                                           []json.RawMessage
	BlockedPath, DecisionReason, Title, DisplayName, Description, AgentID string
	Raw                                                                   json.RawMessage // the whole request object
}

// PermissionResult answers it. The wire always carries updatedInput (UpdatedInput, or the request's input when nil) or a message.
type PermissionResult struct {
	Allow              bool
	UpdatedInput       json.RawMessage
	UpdatedPermissions []json.RawMessage
	Message            string
	Interrupt          bool
}

// HookRequest is hook_callback; HookResult its output object.
type HookRequest struct {
	CallbackID, ToolUseID string
	Input                 json.RawMessage
}
type HookResult struct{ Output json.RawMessage } // nil: {}

// Message is one line of the conversation, delivered raw, known type or not. Control lines never arrive here.
type Message struct {
	Type, Subtype string
	Raw           json.RawMessage
}

// ToolUse is a tool_use block of an assistant message; ToolResult a tool_result block of a user message.
type ToolUse struct {
	ID, Name string
	Input    json.RawMessage
}
type ToolResult struct {
	ToolUseID string
	IsError   bool // null counts as false
	Content   json.RawMessage
}

// Result is the line that ends a turn.
type Result struct {
	Subtype           string
	IsError           bool // as on the wire: see Failed
	NumTurns          int
	Duration          time.Duration
	SessionID, Text   string
	CostUSD           float64 // total of the process
	Errors            []string
	PermissionDenials []json.RawMessage
	APIErrorStatus    int
	TerminalReason    string
	StructuredOutput  json.RawMessage
	Usage             json.RawMessage
}

// Failed reports whether the turn failed: every error_ subtype does, whatever is_error says, and a success with is_error.
func (r *Result) Failed() bool { return false }

// Init is system/init.
type Init struct {
	SessionID, CWD, Model, PermissionMode, Version string
	Tools                                          []string
	Servers                                        []ServerStatus
	Capabilities                                   []string
}
type ServerStatus struct{ Name, Status string }

func (m Message) ToolUses() []ToolUse       { return nil }
func (m Message) ToolResults() []ToolResult { return nil }
func (m Message) Text() string              { return "" } // text blocks of an assistant message
func (m Message) Result() (*Result, bool)   { return nil, false }
func (m Message) Init() (*Init, bool)       { return nil, false }

// AssistantError is the error member of an assistant message, such as "authentication_failed".
func (m Message) AssistantError() string { return "" }

// Options configures a Conn. Zero values are the defaults.
type Options struct {
	MaxLine        int                           // protocol.DefaultMaxLine
	RequestTimeout time.Duration                 // of every request of ours, 60 s
	Noise          func(line []byte, why string) // lines that are no protocol; nil drops them
	Trace          func(out bool, line []byte)   // every line both ways, for --trace
}

// Conn is one NDJSON stream with a CLI.
type Conn struct{}

func NewConn(r io.Reader, w io.Writer, h Handler, o Options) *Conn { return &Conn{} }

// Serve reads until the CLI closes its end or a write fails; requests run concurrently; it returns when the last has ended.
func (c *Conn) Serve(ctx context.Context) error { return errTODO }

// Request sends a control request of ours and waits for the answer's payload (nil when it has none). Errors: *RequestError (the CLI's
// error text), ErrTimeout, ErrClosed, or the context's.
func (c *Conn) Request(ctx context.Context, subtype string, fields any) (json.RawMessage, error) {
	return nil, errTODO
}

// InitializeRequest is what we declare; InitializeResult what the CLI said.
type InitializeRequest struct {
	Servers []string
	Hooks   json.RawMessage // nil: none
}
type InitializeResult struct {
	Version      string
	Capabilities []string
	Raw          json.RawMessage
}

func (c *Conn) Initialize(ctx context.Context, r InitializeRequest) (*InitializeResult, error) {
	return nil, errTODO
}
func (c *Conn) Interrupt(ctx context.Context) error                      { return errTODO }
func (c *Conn) SetPermissionMode(ctx context.Context, mode string) error { return errTODO }

// Prompt writes a user line with a uuid and returns the uuid.
func (c *Conn) Prompt(text string) (uuid string, err error) { return "", errTODO }

// Notify sends a JSON-RPC notification to the CLI's MCP client for one of our servers; it waits for no acknowledgement.
func (c *Conn) Notify(server, method string, params protocol.Appender) error { return errTODO }

var (
	ErrClosed  = errors.New("the connection to the CLI is closed")
	ErrTimeout = errors.New("the CLI did not answer in time")
)

// RequestError is the CLI's error answer to a request of ours.
type RequestError struct{ Subtype, Text, Code string }

func (e *RequestError) Error() string { return e.Text }

// Peer is the other end: a process, or the rehearsal agent.
type Peer interface {
	Stdin() io.WriteCloser
	Stdout() io.Reader
	Wait() error // blocks until it has ended; may be called by several
	Terminate() error
	Kill() error
	StderrTail() string
}

// Command says how to start the CLI. Zero values are left out of the command line.
type Command struct {
	Path                                string // resolved by Find
	Dir                                 string
	Env                                 []string // added to the host's
	Model, PermissionMode, SystemPrompt string
	SystemPromptSet                     bool // pass SystemPrompt even when empty
	SettingSources                      *string
	MaxTurns                            int
	AllowedTools, DisallowedTools       []string
	ReplayUserMessages, IncludePartial  bool
	Extra                               []string // further arguments as they are
	Stderr                              func(line string)
}

// Find looks for the CLI: explicit path, LUATOOLS_CLAUDE, PATH, the usual places. ErrNotFound when there is none.
func Find(explicit string) (string, error) { return "", errTODO }

var ErrNotFound = errors.New("the claude CLI was not found")

// Probe asks claude -v (5 s) and --help for what the version table needs.
func Probe(ctx context.Context, path string) (Version, error) { return Version{}, errTODO }

// Version is what we know of a CLI: Number empty when -v said nothing usable.
type Version struct {
	Number   string
	Features Features
}

// Features is one row of the version table.
type Features struct {
	ListChanged   bool // re-lists on tools/list_changed
	AlwaysLoad    bool // knows _meta anthropic/alwaysLoad
	MaxResultSize bool // knows _meta anthropic/maxResultSizeChars
	UnknownTypes  bool // ignores what it does not know instead of exiting
	SnapshotOff   bool // --system-prompt-snapshot off
	Effort        bool // --effort, --thinking and friends
}

// Start starts the process.
func Start(ctx context.Context, cmd Command) (Peer, error) { return nil, errTODO }

// Ending follows the messages of a session and says when stdin may be closed (protocol: end-of-input rules). It is fed by the session.
type Ending struct{}

func (e *Ending) Prompted(uuid string) {}
func (e *Ending) Message(m Message)    {}
func (e *Ending) Done() bool           { return false } // every prompt done, no task open, idle

// Shutdown is the ladder: cancel (the caller's) → close stdin → wait → terminate → wait → kill. It returns the peer's end.
func Shutdown(ctx context.Context, p Peer) error { return errTODO }

// ExitError is a CLI that ended badly: code or signal, and the tail of its stderr.
type ExitError struct {
	Code   int
	Signal string
	Stderr string
}

func (e *ExitError) Error() string { return "" }
