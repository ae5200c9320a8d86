package rehearsal_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/control"
	"github.com/luatools/luatools/protocol/control/rehearsal"
)

// handler answers every question with yes and every call with its arguments.
type handler struct{ messages chan control.Message }

func (h handler) CanUseTool(context.Context, *control.PermissionRequest) (*control.PermissionResult, error) {
	return &control.PermissionResult{Allow: true}, nil
}

func (h handler) MCPMessage(_ context.Context, server string, req *protocol.Request) (*protocol.Response, error) {
	if req.Notification() {
		return nil, nil
	}
	result := `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"echo","version":"1"}}`
	switch req.Method {
	case "tools/list":
		result = `{"tools":[{"name":"echo","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}]}`
	case "tools/call":
		var p struct{ Arguments json.RawMessage }
		if err := json.Unmarshal(req.Params, &p); err != nil {
			return nil, err
		}
		text, _ := json.Marshal(string(p.Arguments))
		result = `{"content":[{"type":"text","text":` + string(text) + `}]}`
	}
	return &protocol.Response{ID: req.ID, Result: protocol.Raw(result)}, nil
}

func (h handler) Hook(context.Context, *control.HookRequest) (*control.HookResult, error) {
	return &control.HookResult{}, nil
}
func (h handler) Message(m control.Message)         { h.messages <- m }
func (h handler) Written(string, *protocol.Request) {}

// The real host side finds its way through everything at once: 200 calls at the same time, noise, split lines.
func TestConnAgainstTheWorstCLI(t *testing.T) {
	for _, old := range []bool{false, true} {
		t.Run(fmt.Sprintf("old %v", old), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var step rehearsal.Step
				for i := range 200 {
					step.Calls = append(step.Calls, rehearsal.ToolUse{Name: "mcp__echo__echo", Input: fmt.Sprintf(`{"n":%d}`, i)})
				}
				agent := rehearsal.Start(t.Context(), rehearsal.Options{
					Old: old, Parallel: true, Noise: true, UnknownTypes: true, UnknownRequests: true, Chunk: 1000, SessionState: true,
					Handshake: rehearsal.HandshakeTwice, Script: []rehearsal.Turn{{Steps: []rehearsal.Step{step, {Text: "done"}}}},
				})
				h := handler{make(chan control.Message, 10_000)}
				conn := control.NewConn(agent.Stdout(), agent.Stdin(), h, control.Options{})
				served := make(chan error, 1)
				go func() { served <- conn.Serve(t.Context()) }()
				if _, err := conn.Initialize(t.Context(), control.InitializeRequest{Servers: []string{"echo"}}); err != nil {
					t.Fatal(err)
				}
				if _, err := conn.Prompt("go"); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if err := control.Shutdown(t.Context(), agent); err != nil {
					t.Errorf("Shutdown = %v", err)
				}
				<-served
				close(h.messages)
				results, answers := 0, 0
				for m := range h.messages {
					answers += len(m.ToolResults())
					if r, ok := m.Result(); ok && !r.Failed() && r.Text == "done" {
						results++
					}
				}
				if results != 1 || answers != 200 {
					t.Errorf("%d results and %d tool results, want 1 and 200", results, answers)
				}
				if p := agent.Problems(); len(p) > 0 {
					t.Errorf("problems: %q", p)
				}
			})
		})
	}
}

// Whatever a host writes, the agent ends when its stdin is closed.
func FuzzHostLines(f *testing.F) {
	for _, s := range []string{
		`{"type":"control_request","request_id":"1","request":{"subtype":"initialize","sdkMcpServers":["a","a"],"hooks":{"PreToolUse":[{"matcher":"(","hookCallbackIds":["x"]}]}}}`,
		`{"type":"user","uuid":"u","message":{"role":"user","content":[{"type":"text","text":"hello"}]}}`,
		`{"type":"control_response","response":{"subtype":"success","request_id":"x","response":{"mcp_response":{}}}}`,
		"{\"type\":\"control_request\",\"request_id\":\"2\",\"request\":{\"subtype\":\"mcp_set_servers\",\"servers\":{\"a\":{}}}}\n{\"type\":\"user\",\"message\":{\"role\":\"user\"}}",
		`{"type":"control_request","request_id":"3","request":{"subtype":"mcp_message","server_name":"a","message":{"method":"notifications/tools/list_changed"}}}`,
		"", "[]", "null", "{", "\xff",
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, lines string, old bool) {
		agent := rehearsal.Start(context.Background(), rehearsal.Options{Old: old})
		agent.Stdin().Write([]byte(lines + "\n"))
		agent.Stdin().Close()
		agent.Wait()
	})
}
