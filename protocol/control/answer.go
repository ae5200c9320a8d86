package control

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/luatools/luatools/protocol"
)

// answer is our answer to a request of the CLI, in the nested form: the flat one is ignored by the CLI, which then waits
// for ever.
type answer struct {
	id      []byte            // the request_id as it came
	payload protocol.Appender // of a success
	fail    string            // the text of an error; empty: success
}

// AppendJSON implements [protocol.Appender].
func (a *answer) AppendJSON(dst []byte) ([]byte, error) {
	if a.fail != "" {
		dst = append(dst, `{"type":"control_response","response":{"subtype":"error","request_id":`...)
		dst = append(dst, a.id...)
		dst = append(dst, `,"error":`...)
		dst = protocol.AppendString(dst, a.fail)
		return append(dst, "}}"...), nil
	}
	dst = append(dst, `{"type":"control_response","response":{"subtype":"success","request_id":`...)
	dst = append(dst, a.id...)
	dst = append(dst, `,"response":`...)
	dst, err := a.payload.AppendJSON(dst)
	return append(dst, "}}"...), err
}

// mcpAnswer is the payload that answers an MCP request. The response is spliced in, not encoded a second time.
type mcpAnswer struct{ protocol.Response }

// AppendJSON implements [protocol.Appender].
func (m *mcpAnswer) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"mcp_response":`...)
	dst, err := m.Response.AppendJSON(dst)
	return append(dst, '}'), err
}

// acknowledged answers a notification. Without it the CLI does not go on to tools/list.
var acknowledged = protocol.Raw(`{"mcp_response":{"jsonrpc":"2.0","result":{}}}`)

var (
	declined = protocol.Raw(`{"action":"decline"}`)
	nothing  = protocol.Raw(`{}`)
)

// permissionAnswer encodes the answer to a can_use_tool. CLI 2.1.33 denies an allow without updatedInput, and every CLI
// wants a message with a denial.
func permissionAnswer(req *PermissionRequest, res *PermissionResult) (protocol.Raw, error) {
	if res == nil {
		return nil, errors.New("no decision on " + req.ToolName)
	}
	if !res.Allow {
		msg := res.Message
		if msg == "" {
			msg = DefaultDenial
		}
		dst := protocol.AppendString([]byte(`{"behavior":"deny","message":`), msg)
		if res.Interrupt {
			dst = append(dst, `,"interrupt":true`...)
		}
		return append(dst, '}'), nil
	}
	input := res.UpdatedInput
	if input == nil {
		input = req.Input
	} else if !protocol.IsObject(input) {
		return nil, fmt.Errorf("the updated input for %s is no JSON object", req.ToolName)
	}
	dst := append([]byte(`{"behavior":"allow","updatedInput":`), input...)
	if len(res.UpdatedPermissions) > 0 {
		dst = append(dst, `,"updatedPermissions":`...)
		var err error
		if dst, err = appendObjects(dst, res.UpdatedPermissions); err != nil {
			return nil, fmt.Errorf("the updated permissions for %s: %w", req.ToolName, err)
		}
	}
	return append(dst, '}'), nil
}

// appendObjects appends a list of JSON objects, each of which is checked: a line that is no JSON ends the CLI.
func appendObjects(dst []byte, list []json.RawMessage) ([]byte, error) {
	dst = append(dst, '[')
	for i, o := range list {
		if !protocol.IsObject(o) {
			return nil, fmt.Errorf("entry %d is no JSON object", i+1)
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, o...)
	}
	return append(dst, ']'), nil
}
