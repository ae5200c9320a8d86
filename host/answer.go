package host

import (
	"context"
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
	if s.servers[name.Server] == nil {
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
	d := s.h.o.Policy.Decide(Subject{Name: name, Asks: why})
	said, err := s.from.settle(ctx, d, Question{Tool: name.String(), Input: req.Input})
	if err != nil {
		return nil, err
	}
	return &control.PermissionResult{Allow: said.allow, Message: said.text}, nil
}

// MCPMessage implements [control.Handler].
func (s *Session) MCPMessage(ctx context.Context, name string, req *protocol.Request) (*protocol.Response, error) {
	srv := s.servers[name]
	switch {
	case srv != nil:
		return srv.Handle(mcp.WithNotifier(ctx, srv), req), nil
	case req.Notification():
		return nil, nil
	}
	return nil, &protocol.Error{Code: protocol.CodeMethodNotFound, Message: fmt.Sprintf("Server '%s' not found", name)}
}

// Hook implements [control.Handler]. No hooks are declared, so none is expected; the empty answer lets everything go on.
func (s *Session) Hook(context.Context, *control.HookRequest) (*control.HookResult, error) {
	return &control.HookResult{}, nil
}

// Message implements [control.Handler].
func (s *Session) Message(m Message) {
	s.mu.Lock()
	s.ending.Message(m)
	s.mu.Unlock()
	s.inbox.put(m)
}

// Written implements [control.Handler].
func (s *Session) Written(string, *protocol.Request) {}
