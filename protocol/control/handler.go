package control

import (
	"context"
	"encoding/json"

	"github.com/luatools/luatools/protocol"
)

// Handler answers what the CLI asks. CanUseTool, MCPMessage and Hook run concurrently, each request in a goroutine of its
// own; their context is cancelled when the CLI withdraws the request, when it cancels the call (the cause is then
// [ErrCancelled]), and when the connection ends. A panic becomes an error answer. Message and Written must not block.
type Handler interface {
	// CanUseTool decides whether a tool may run. An error, a nil result or one that is no valid JSON refuses the call.
	CanUseTool(context.Context, *PermissionRequest) (*PermissionResult, error)

	// MCPMessage answers a JSON-RPC message to one of our servers, also to one that does not exist. The answer gets the
	// request's id. A nil response acknowledges a notification. An error becomes -32603, or is sent as it is when it is a
	// [*protocol.Error]. notifications/cancelled has been acted on already by the Conn.
	MCPMessage(ctx context.Context, server string, req *protocol.Request) (*protocol.Response, error)

	// Hook answers a hook callback. An error is told to the CLI, which goes on unless the hook says otherwise.
	Hook(context.Context, *HookRequest) (*HookResult, error)

	// Message takes one line of the conversation. It is called in the order of the lines, by the goroutine that reads.
	Message(Message)

	// Written tells that the answer to an MCP message has been written, by the goroutine that answered it.
	Written(server string, req *protocol.Request)
}

// PermissionRequest is the CLI's question whether a tool may run (can_use_tool). Only ToolName and Input are always there.
type PermissionRequest struct {
	ToolName        string            // as the model calls it, such as mcp__tools__greet or Bash
	Input           json.RawMessage   // an object
	ToolUseID       string            // also the id of the tool_use block and of the call that follows
	Suggestions     []json.RawMessage // updates that would stop the asking, for UpdatedPermissions
	BlockedPath     string
	DecisionReason  string
	Title           string
	DisplayName     string
	Description     string
	AgentID         string          // set when a delegated agent wants the tool
	ServerName      string          // the tool's MCP server
	Raw             json.RawMessage // the whole request object, for fields of other CLIs
	RequiresPerson  bool            // requires_user_interaction
	DefaultToNo     bool
	SuppressAlways  bool // suppress_always_allow_rule
	ReasonType      string
	PolicyOnlyToAsk bool // server_policy_ask_only
}

// PermissionResult answers a [PermissionRequest].
type PermissionResult struct {
	Allow bool

	// UpdatedInput is the input to run with, an object; nil keeps the one that was asked about. CLIs differ in what an
	// empty object means: 2.1.33 runs the tool without arguments, current ones with those that were asked about.
	UpdatedInput json.RawMessage

	UpdatedPermissions []json.RawMessage // permission updates, as Suggestions has them
	Message            string            // why it was denied, for the model; empty: DefaultDenial
	Interrupt          bool              // with a denial: end the turn
}

// DefaultDenial is what the model reads when a denial says nothing itself.
const DefaultDenial = "permission denied"

// HookRequest is a hook's call (hook_callback). Input is the event, as the CLI sends it.
type HookRequest struct {
	CallbackID string // one of those that initialize declared
	ToolUseID  string
	Input      json.RawMessage
}

// HookResult answers a [HookRequest]. Output is the hook's output object; nil means {}.
type HookResult struct{ Output json.RawMessage }
