package host

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/control"
	"github.com/luatools/luatools/protocol/mcp"
)

// What the CLI asks of a session: Session implements [control.Handler].

// CanUseTool implements [control.Handler] by the same policy as the gate. What the gate would refuse anyway (an unknown tool, arguments that do not
// fit) is let through: the model learns more from the gate's answer than from a denial, and nobody is asked in vain.
func (s *Session) CanUseTool(ctx context.Context, req *control.PermissionRequest) (*control.PermissionResult, error) {
	name := ParseToolName(req.ToolName)
	if s.server(name.Server) == nil {
		return s.canUseForeign(ctx, name, req)
	}
	t := s.h.registry().byName[req.ToolName]
	if t == nil {
		return &control.PermissionResult{Allow: true}, nil
	}
	args, err := t.input.Normalize(req.Input)
	if err != nil {
		return &control.PermissionResult{Allow: true}, nil
	}
	d, err := s.h.decide(ctx, t, args)
	if err != nil {
		return &control.PermissionResult{Message: err.Error()}, nil
	}
	said, err := s.from.settle(ctx, d, t.question(args))
	if err != nil {
		return nil, err
	}
	if d.Behavior == Ask {
		s.from.approvals.remember(req.ToolUseID, t.name, args, said)
	}
	return &control.PermissionResult{Allow: said.allow, Message: said.text}, nil
}

// canUseForeign answers for the CLI's own tools and those of other MCP servers: they ask unless a rule says otherwise.
func (s *Session) canUseForeign(ctx context.Context, name ToolName, req *control.PermissionRequest) (*control.PermissionResult, error) {
	why := "it is one of the CLI's own tools"
	if name.Server != "" {
		why = "it is a tool of another MCP server"
	}
	if req.DecisionReason != "" {
		why += "; the CLI says: " + req.DecisionReason
	}
	d := s.h.policy.Load().Decide(Subject{Name: name, Asks: why})
	said, err := s.from.settle(ctx, d, Question{Tool: name.String(), Input: req.Input})
	if err != nil {
		return nil, err
	}
	return &control.PermissionResult{Allow: said.allow, Message: said.text}, nil
}

// MCPMessage implements [control.Handler].
func (s *Session) MCPMessage(ctx context.Context, name string, req *protocol.Request) (*protocol.Response, error) {
	srv := s.server(name)
	switch {
	case srv != nil && req.Method == "tools/list":
		return srv.list(ctx, req), nil
	case srv != nil:
		res := srv.Handle(mcp.WithNotifier(ctx, srv), req)
		if req.Method == "tools/call" {
			s.settle(ctx)
		}
		return res, nil
	case req.Notification():
		return nil, nil
	}
	return nil, &protocol.Error{Code: protocol.CodeMethodNotFound, Message: fmt.Sprintf("Server '%s' not found", name)}
}

// writeHooks make the CLI tell when one of its own tools may have written a tool file, before it asks the model again.
var writeHooks = json.RawMessage(`{"PostToolUse":[` + writeHook + `],"PostToolUseFailure":[` + writeHook + `]}`)

const writeHook = `{"matcher":"Write|Edit|MultiEdit|NotebookEdit|Bash","hookCallbackIds":["wrote"],"timeout":30}`

// Hook implements [control.Handler]. The hooks that are declared tell of writing: the answer waits until the CLI has the tools that came of it.
func (s *Session) Hook(ctx context.Context, _ *control.HookRequest) (*control.HookResult, error) {
	s.h.rescan(ctx)
	s.settle(ctx)
	return &control.HookResult{}, nil
}

// Message implements [control.Handler].
func (s *Session) Message(m Message) {
	if init, ok := m.Init(); ok {
		s.learn(init.Version, init.Capabilities)
	}
	s.mu.Lock()
	s.ending.Message(m)
	s.mu.Unlock()
	s.inbox.put(m)
}
