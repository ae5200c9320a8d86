package control

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/luatools/luatools/protocol"
)

// InitializeRequest is what we declare to the CLI.
type InitializeRequest struct {
	Servers []string        // names of the in-process MCP servers
	Hooks   json.RawMessage // event → matchers, an object; nil: none
	Agents  json.RawMessage // an object; nil: none
	More    json.RawMessage // further members, an object; older CLIs pass over what they do not know
}

// InitializeResult is what the CLI said of itself. Every field may be missing.
type InitializeResult struct {
	Version      string
	Capabilities []string // a short list: what it lacks may be there all the same
	Raw          json.RawMessage
}

// Initialize opens the session. [Conn.Serve] must be running: current CLIs ask for the tools before they answer. A
// second initialize is an error answer of CLI 2.1.33; current ones take the new hooks and repeat their open questions.
func (c *Conn) Initialize(ctx context.Context, r InitializeRequest) (*InitializeResult, error) {
	fields, err := r.fields()
	if err != nil {
		return nil, fmt.Errorf("initialize: %w", err)
	}
	payload, err := c.Request(ctx, "initialize", fields)
	if err != nil {
		return nil, err
	}
	res := &InitializeResult{Raw: payload, Version: text(member(payload, "claude_code_version"))}
	_ = protocol.Elements(member(payload, "capabilities"), func(b []byte) bool { // missing in older CLIs
		res.Capabilities = append(res.Capabilities, text(b))
		return true
	})
	return res, nil
}

func (r *InitializeRequest) fields() (protocol.Raw, error) {
	dst := []byte("{")
	add := func(name string, value []byte) {
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(protocol.AppendString(dst, name), ':')
		dst = append(dst, value...)
	}
	if len(r.Servers) > 0 {
		add("sdkMcpServers", appendStrings(nil, r.Servers))
	}
	for _, m := range []struct {
		name  string
		value json.RawMessage
	}{{"hooks", r.Hooks}, {"agents", r.Agents}} {
		if m.value == nil {
			continue
		}
		if !protocol.IsObject(m.value) {
			return nil, fmt.Errorf("%s must be a JSON object", m.name)
		}
		add(m.name, m.value)
	}
	if r.More != nil {
		err := protocol.Members(r.More, func(key, value []byte) bool {
			add(string(key), value)
			return true
		})
		if err != nil {
			return nil, fmt.Errorf("further members: %w", err)
		}
	}
	return append(dst, '}'), nil
}

// Interrupt ends the running turn: its calls are cancelled, its open questions withdrawn, and a result follows. The
// session goes on.
func (c *Conn) Interrupt(ctx context.Context) error {
	_, err := c.Request(ctx, "interrupt", nil)
	return err
}

// SetPermissionMode changes the mode, such as "default", "acceptEdits" or "plan".
func (c *Conn) SetPermissionMode(ctx context.Context, mode string) error {
	fields := append(protocol.AppendString([]byte(`{"mode":`), mode), '}')
	_, err := c.Request(ctx, "set_permission_mode", protocol.Raw(fields))
	return err
}

// ServersResult is what a change of the servers did. Errors has a text for each server that failed.
type ServersResult struct {
	Added, Removed []string
	Errors         map[string]string
}

// SetServers replaces all in-process servers (mcp_set_servers); the CLI lists each of them again before its next turn.
// It also drops servers that were added the same way and are not named.
func (c *Conn) SetServers(ctx context.Context, names []string) (*ServersResult, error) {
	dst := []byte(`{"servers":{`)
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(protocol.AppendString(dst, name), `:{"type":"sdk","name":`...)
		dst = append(protocol.AppendString(dst, name), '}')
	}
	payload, err := c.Request(ctx, "mcp_set_servers", protocol.Raw(append(dst, "}}"...)))
	if err != nil {
		return nil, err
	}
	var res ServersResult
	_ = json.Unmarshal(payload, &res) // what has another shape is left out
	return &res, nil
}

func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = protocol.AppendString(dst, s)
	}
	return append(dst, ']')
}
