package interop

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is how long the client waits for what should come at once.
const patience = 30 * time.Second

// client is the SDK's client with what it was told.
type client struct {
	*mcp.ClientSession
	progress chan string
	changed  chan struct{}
}

func connect(t *testing.T, transport mcp.Transport, version string) *client {
	t.Helper()
	c := &client{progress: make(chan string, 100), changed: make(chan struct{}, 100)}
	sdk := mcp.NewClient(&mcp.Implementation{Name: "judge", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { c.changed <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			c.progress <- r.Params.Message
		},
	})
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	session, err := sdk.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatalf("connect: %v", err)
	}
	c.ClientSession = session
	return c
}

func (c *client) text(t *testing.T, name string, args any) (text string, isError bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("call %s: %v", name, err)
	}
	if len(res.Content) != 1 {
		t.Fatalf("call %s: %d blocks", name, len(res.Content))
	}
	block, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("call %s: a %T", name, res.Content[0])
	}
	return block.Text, res.IsError
}

// judge asks of a server with the tools greet, nap and refuse all that an MCP client asks.
func judge(t *testing.T, c *client) {
	t.Run("list", func(t *testing.T) {
		var names []string
		for tool, err := range c.Tools(t.Context(), nil) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
			if schema, ok := tool.InputSchema.(map[string]any); !ok || schema["type"] != "object" {
				t.Errorf("schema of %s: %v", tool.Name, tool.InputSchema)
			}
		}
		if got := strings.Join(names, " "); got != "greet nap refuse" {
			t.Errorf("tools = %s", got)
		}
	})
	t.Run("call", func(t *testing.T) {
		if got, isError := c.text(t, "greet", map[string]any{"name": "Alice"}); isError || got != "Hello, Alice! Welcome." {
			t.Errorf("result = %q, error %v", got, isError)
		}
	})
	t.Run("a tool's own failure is a result", func(t *testing.T) {
		if got, isError := c.text(t, "refuse", nil); !isError || !strings.Contains(got, "no greetings today") {
			t.Errorf("result = %q, error %v", got, isError)
		}
	})
	t.Run("an unknown tool is a protocol error", func(t *testing.T) {
		_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "gone"})
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != -32602 {
			t.Errorf("error = %v, want -32602", err)
		}
	})
	t.Run("what is not offered is not found", func(t *testing.T) {
		_, err := c.ListResources(t.Context(), nil)
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != -32601 {
			t.Errorf("error = %v, want -32601", err)
		}
	})
	t.Run("ping", func(t *testing.T) {
		if err := c.Ping(t.Context(), nil); err != nil {
			t.Error(err)
		}
	})
	t.Run("cancel", func(t *testing.T) { judgeCancel(t, c) })
	t.Run("many calls at once", func(t *testing.T) {
		const calls = 200
		failed := make(chan error, calls)
		for range calls {
			go func() {
				_, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "greet", Arguments: map[string]any{"name": "Bob"}})
				failed <- err
			}()
		}
		for range calls {
			if err := <-failed; err != nil {
				t.Error(err)
			}
		}
	})
}

// judgeCancel cancels a nap once it is known to run, and takes another one, which has to wait for the end of the first.
func judgeCancel(t *testing.T, c *client) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	params := &mcp.CallToolParams{Name: "nap", Arguments: map[string]any{"length": "1h"}}
	params.Meta = mcp.Meta{"progressToken": "nap"}
	go func() {
		_, err := c.CallTool(ctx, params)
		failed <- err
	}()
	select {
	case message := <-c.progress:
		if message != "asleep" {
			t.Errorf("progress = %q", message)
		}
	case err := <-failed:
		t.Fatalf("the nap ended early: %v", err)
	case <-time.After(patience):
		t.Fatal("the nap reports no progress")
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want %v", err, context.Canceled)
	}
	if got, isError := c.text(t, "nap", map[string]any{"length": "1ms"}); isError || got != "awake" {
		t.Errorf("the next nap: %q, error %v", got, isError)
	}
}
