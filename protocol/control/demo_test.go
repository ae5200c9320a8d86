package control

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/luatools/luatools/protocol"
)

// demo is a Handler with one server, demo_tools, as the captured conversation has it, and tools that misbehave.
type demo struct {
	mu       sync.Mutex
	messages []Message
	written  []string
	events   func(string)  // told of messages, when set
	release  chan struct{} // lets the tool "hold" go on
	causes   chan error    // why the context of "hold" ended
}

func newDemo() *demo {
	return &demo{release: make(chan struct{}), causes: make(chan error, 16)}
}

func (d *demo) MCPMessage(ctx context.Context, server string, req *protocol.Request) (*protocol.Response, error) {
	if server != "demo_tools" {
		return nil, protocol.Errorf(protocol.CodeMethodNotFound, "Server '%s' not found", server)
	}
	switch req.Method {
	case "initialize":
		return &protocol.Response{Result: protocol.Raw(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"demo_tools","version":"1.0.0"}}`)}, nil
	case "tools/list":
		return &protocol.Response{Result: protocol.Raw(`{"tools":[{"name":"greet","description":"Greet someone by name","inputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}]}`)}, nil
	case "tools/call":
		return d.call(ctx, req)
	case "notifications/panics":
		panic("in a notification")
	case "notifications/initialized", "notifications/cancelled":
		return nil, nil
	}
	return nil, protocol.Errorf(protocol.CodeMethodNotFound, "method not found: %s", req.Method)
}

func (d *demo) call(ctx context.Context, req *protocol.Request) (*protocol.Response, error) {
	var p struct {
		Name      string
		Arguments struct{ Name string }
	}
	if err := json.Unmarshal(req.Params, &p); err != nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "%v", err)
	}
	switch p.Name {
	case "greet":
		dst := protocol.AppendString([]byte(`{"content":[{"type":"text","text":`), "Hello, "+p.Arguments.Name+"! Welcome.")
		return &protocol.Response{Result: protocol.Raw(append(dst, "}]}"...))}, nil
	case "hold":
		select {
		case <-ctx.Done():
			d.causes <- context.Cause(ctx)
			return nil, context.Cause(ctx)
		case <-d.release:
			return &protocol.Response{Result: protocol.Raw(`{"content":[]}`)}, nil
		}
	case "wrong_id":
		return &protocol.Response{ID: json.RawMessage("99"), Result: protocol.Raw(`{"content":[]}`)}, nil
	case "silent":
		return nil, nil
	case "fails":
		return nil, errors.New("the disk is full")
	case "panics":
		panic("out of cheese")
	case "unencodable":
		return &protocol.Response{Result: unencodable{}}, nil
	}
	return nil, protocol.Errorf(protocol.CodeInvalidParams, "unknown tool %q", p.Name)
}

type unencodable struct{}

func (unencodable) AppendJSON(dst []byte) ([]byte, error) {
	return append(dst, `{"half":`...), errors.New("NaN has no JSON")
}

func (d *demo) CanUseTool(_ context.Context, req *PermissionRequest) (*PermissionResult, error) {
	switch req.ToolName {
	case "mcp__demo_tools__greet":
		return &PermissionResult{Allow: true}, nil
	case "changed":
		return &PermissionResult{Allow: true, UpdatedInput: json.RawMessage(`{"dry_run":true}`)}, nil
	case "remembered":
		return &PermissionResult{Allow: true, UpdatedPermissions: req.Suggestions}, nil
	case "no_object":
		return &PermissionResult{Allow: true, UpdatedInput: json.RawMessage(`[1]`)}, nil
	case "bad_update":
		return &PermissionResult{Allow: true, UpdatedPermissions: []json.RawMessage{json.RawMessage(`{`)}}, nil
	case "undecided":
		return nil, nil
	case "fails":
		return nil, errors.New("the policy cannot be read")
	case "panics":
		panic("out of cheese")
	case "stop":
		return &PermissionResult{Message: "Enough for today", Interrupt: true}, nil
	case "wordless":
		return &PermissionResult{}, nil
	}
	return &PermissionResult{Message: "Tool not allowed"}, nil
}

func (d *demo) Hook(_ context.Context, req *HookRequest) (*HookResult, error) {
	switch req.CallbackID {
	case "denies":
		return &HookResult{Output: json.RawMessage(`{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no shell here"}}`)}, nil
	case "no_object":
		return &HookResult{Output: json.RawMessage(`"deny"`)}, nil
	case "fails":
		return nil, errors.New("the hook has a fault")
	}
	return nil, nil
}

func (d *demo) Message(m Message) {
	d.mu.Lock()
	d.messages = append(d.messages, m)
	d.mu.Unlock()
	if d.events != nil {
		d.events("message " + m.Type + "/" + m.Subtype)
	}
}

func (d *demo) Written(server string, req *protocol.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.written = append(d.written, server+" "+req.Method+" "+string(req.ID))
}

// patience is how long a test on the real clock waits for what must happen.
const patience = 20 * time.Second

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
