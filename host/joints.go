// Package host is the embedding API: a Host has tools (Lua and Go), a policy and a gate; it serves sessions with the Claude CLI and MCP clients.
package host

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"time"

	"github.com/luatools/luatools/protocol/control"
	"github.com/luatools/luatools/protocol/mcp"
	"github.com/luatools/luatools/scripts"
)

var errTODO = errors.New("not built yet")

// Options configures a Host. The zero value is a host without tools.
type Options struct {
	Dir         string // folder of *.lua files; empty: Go tools only
	Server      string // name of the top folder's server
	Tools       []Tool // Go tools beside the Lua ones
	Policy      Policy
	CallTimeout time.Duration // of one call; zero: DefaultCallTimeout
	Asker       Asker         // asks a person; nil: nobody to ask
	Observer    Observer      // sees each call begin and end; nil: nobody
	Log         func(LogEntry)
}

const DefaultCallTimeout = 60 * time.Second

// Tool is a tool written in Go.
type Tool struct {
	Server                string // default "go"
	Definition            mcp.Tool
	ReadOnly, Destructive bool
	Call                  func(context.Context, json.RawMessage) (*mcp.CallToolResult, error)
}

// NewTool makes a tool of a Go function; the schemas come from In and Out.
func NewTool[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) Tool {
	return Tool{}
}

// ToolName is how a tool is named on the wire of the CLI (mcp__server__tool), by people (server/tool) and to plain clients.
type ToolName struct{ Server, Tool string }

func (n ToolName) String() string { return n.Server + "/" + n.Tool }
func (n ToolName) Wire() string   { return "mcp__" + n.Server + "__" + n.Tool }

// Behavior of a rule or decision.
type Behavior uint8

const (
	Ask Behavior = iota
	Allow
	Deny
)

// Rule is one rule on names: "db/query", "mcp__db__query", "db/*", "Bash".
type Rule struct {
	Pattern  string
	Behavior Behavior
}

// Policy answers "may this call run?". Deny beats ask beats allow. The zero value has only the defaults.
type Policy struct{ Rules []Rule }

// Decision is the policy's answer and why.
type Decision struct {
	Behavior Behavior
	Reason   string // the rule or default that decided
	Flag     string // the flag that would allow it: "--allow ops/deploy"
}

// Question is what a person is asked; Answer what they said.
type Question struct {
	Tool     string // as people name it
	Input    json.RawMessage
	Reason   string
	Declares string // the rights the file declares
	File     string
	Line     int
}
type Answer struct {
	Allow   bool
	Session bool // for the rest of the session
	Message string
}

// Asker asks a person. It must return at once with an error when there is nobody; it is called by one goroutine at a time.
type Asker interface {
	Ask(context.Context, Question) (Answer, error)
}

// CallEvent is one call as it begins or ends.
type CallEvent struct {
	Tool, CallID, ToolUseID string
	Input                   json.RawMessage
	Done                    bool
	Denied                  bool
	Result                  *mcp.CallToolResult
	Err                     error // fault for the author, or protocol error
	Duration                time.Duration
	Progress, Total         float64 // a progress report when Message or Progress is set
	Message                 string
}
type Observer interface{ Call(CallEvent) }

// LogEntry is a line that a tool printed or logged, or that the host has to say.
type LogEntry struct{ Level, Tool, CallID, Text string }

// Host serves tools.
type Host struct{}

func New(o Options) (*Host, error) { return nil, errTODO }

// Snapshot returns the Lua tools at this moment (nil without a folder).
func (h *Host) Snapshot() *scripts.Snapshot { return nil }

// Tools returns all tools at this moment, for list and call, sorted by server and name.
func (h *Host) Tools() []Info { return nil }

// Lookup finds a tool as people name it: server/tool, mcp__server__tool, the name serve lists, or a bare name only one server has.
// An *UnknownToolError names the nearest ones.
func (h *Host) Lookup(name string) (Info, error) { return Info{}, errTODO }

// Call is a person's own call (luatools call): it counts as the go-ahead for what would ask; deny rules still hold.
func (h *Host) Call(ctx context.Context, name ToolName, args json.RawMessage) (*mcp.CallToolResult, error) {
	return nil, errTODO
}

// ServeLines serves plain MCP on stdio. It blocks.
func (h *Host) ServeLines(ctx context.Context, r io.Reader, w io.Writer) error { return errTODO }

// Start starts the CLI (or o.Peer) and initializes the session. The first error is final; nothing is left running.
func (h *Host) Start(ctx context.Context, o SessionOptions) (*Session, error) { return nil, errTODO }

func (h *Host) Close() error { return nil }

// Info describes one tool for people.
type Info struct {
	Name      ToolName
	Plain     string // as serve lists it
	Tool      mcp.Tool
	Signature string
	File      string
	Line      int
	Go        bool
	Declares  string        // rights, for people
	Lua       *scripts.Tool // nil for a Go tool
}

// UnknownToolError is a name that no tool has.
type UnknownToolError struct {
	Name string
	Near []string
}

func (e *UnknownToolError) Error() string { return "" }

// SessionOptions says how to start the CLI.
type SessionOptions struct {
	Command control.Command
	Peer    control.Peer // instead of a process; nil: start Command
	Conn    control.Options
}

// Message is one line of the conversation.
type Message = control.Message

// Session is one run of the Claude CLI.
type Session struct{}

// Query writes a prompt and yields the messages up to its result. A consumer that stops early interrupts the turn.
func (s *Session) Query(ctx context.Context, prompt string) iter.Seq2[Message, error] { return nil }
func (s *Session) Interrupt(ctx context.Context) error                                { return errTODO }

// Close ends the session by the shutdown ladder and waits; idempotent.
func (s *Session) Close() error { return nil }
