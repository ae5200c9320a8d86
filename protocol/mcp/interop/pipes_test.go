package interop

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/mcp"
)

// bedroom is a Catalog in Go of the tools that testdata/tools has in Lua.
type bedroom struct{ bed chan struct{} }

func (b *bedroom) ToolList() json.RawMessage {
	list := []byte{'['}
	for i, name := range []string{"greet", "nap", "refuse"} {
		if i > 0 {
			list = append(list, ',')
		}
		tool := mcp.Tool{Name: name, Description: name, InputSchema: json.RawMessage(`{"type":"object","properties":{},"required":[]}`)}
		list, _ = tool.AppendJSON(list)
	}
	return append(list, ']')
}

func (b *bedroom) CallTool(ctx context.Context, call *mcp.CallToolParams) (*mcp.CallToolResult, error) {
	var args struct{ Name, Length string }
	if err := json.Unmarshal(call.Arguments, &args); err != nil {
		return nil, err
	}
	switch call.Name {
	case "greet":
		return mcp.TextResult("Hello, " + args.Name + "! Welcome."), nil
	case "refuse":
		return mcp.ErrorResult("no greetings today"), nil
	case "nap":
		b.bed <- struct{}{}
		defer func() { <-b.bed }()
		return b.nap(ctx, call, args.Length)
	}
	return nil, protocol.Errorf(protocol.CodeInvalidParams, "unknown tool %q", call.Name)
}

func (b *bedroom) nap(ctx context.Context, call *mcp.CallToolParams, length string) (*mcp.CallToolResult, error) {
	d, err := time.ParseDuration(length)
	if err != nil {
		return nil, err
	}
	if call.ProgressToken != nil {
		progress := &mcp.Progress{Token: call.ProgressToken, Progress: 1, Message: "asleep"}
		if err := mcp.NotifierFrom(ctx).Notify(mcp.MethodProgress, progress); err != nil {
			return nil, err
		}
	}
	select {
	case <-time.After(d):
		return mcp.TextResult("awake"), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// TestPipes lets the SDK's client judge Server.ServeLines in process, in every revision of the protocol that it speaks.
func TestPipes(t *testing.T) {
	for version, want := range map[string]string{
		"": mcp.LatestVersion, "2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
	} {
		t.Run(fmt.Sprintf("asked for %q", version), func(t *testing.T) {
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			var notices mcp.Notifier
			ended := make(chan error, 1)
			server := mcp.NewServer(mcp.Info{Name: "bedroom", Version: "1"}, &bedroom{bed: make(chan struct{}, 1)}, mcp.Options{PageSize: 2})
			attached := make(chan struct{})
			go func() {
				ended <- server.ServeLines(t.Context(), inR, outW, mcp.LinesOptions{Attach: func(n mcp.Notifier) { notices = n; close(attached) }})
				outW.Close()
			}()
			<-attached
			c := connect(t, &sdk.IOTransport{Reader: outR, Writer: inW}, version)
			if got := c.InitializeResult(); got.ProtocolVersion != want || got.ServerInfo.Name != "bedroom" {
				t.Errorf("initialize = %+v, want the version %s", got, want)
			}
			judge(t, c)
			t.Run("list_changed", func(t *testing.T) {
				if err := notices.Notify(mcp.MethodListChanged, nil); err != nil {
					t.Fatal(err)
				}
				select {
				case <-c.changed:
				case <-time.After(patience):
					t.Error("the client was not told")
				}
			})
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	}
}
