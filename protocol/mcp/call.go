package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"unicode/utf8"

	"github.com/luatools/luatools/protocol"
)

// CallToolParams is what tools/call carries. The raw fields alias the request.
type CallToolParams struct {
	Name          string
	Arguments     json.RawMessage // a JSON object; "{}" when the client sent none
	ToolUseID     string          // _meta "claudecode/toolUseId", empty elsewhere
	ProgressToken json.RawMessage // _meta "progressToken", exact bytes; nil when there is none
}

var (
	noArguments = json.RawMessage("{}")
	errNoResult = errors.New("the tool gave neither a result nor an error")
)

func (s *Server) callTool(ctx context.Context, params json.RawMessage) (protocol.Appender, error) {
	call, fault := decodeCall(params)
	if fault != nil {
		return nil, fault
	}
	res, err := s.catalog.CallTool(ctx, call)
	switch {
	case err != nil:
		return nil, err
	case res == nil:
		return nil, errNoResult
	}
	return res, nil
}

func decodeCall(params json.RawMessage) (*CallToolParams, *protocol.Error) {
	call := &CallToolParams{Arguments: noArguments}
	var name, arguments, meta []byte
	fault := object("params", params, func(key, value []byte) *protocol.Error {
		switch string(key) {
		case "name":
			return once("name", &name, value)
		case "arguments":
			return once("arguments", &arguments, value)
		case "_meta":
			return once("_meta", &meta, value)
		}
		return nil
	})
	if fault != nil {
		return nil, fault
	}
	var ok bool
	if call.Name, ok = protocol.Unquote(name); !ok || call.Name == "" {
		return nil, invalidParams(`tools/call needs "name", the name of a tool from tools/list`)
	}
	if arguments != nil && !isNull(arguments) {
		if arguments[0] != '{' {
			return nil, invalidParams("arguments of %q must be an object, not %.40s", protocol.Brief(call.Name), arguments)
		}
		call.Arguments = arguments
	}
	if meta != nil && !isNull(meta) {
		fault = call.decodeMeta(meta)
	}
	return call, fault
}

func (c *CallToolParams) decodeMeta(meta json.RawMessage) *protocol.Error {
	var use, token []byte
	fault := object("_meta", meta, func(key, value []byte) *protocol.Error {
		switch string(key) {
		case "claudecode/toolUseId":
			return once("claudecode/toolUseId", &use, value)
		case "progressToken":
			return once("progressToken", &token, value)
		}
		return nil
	})
	if fault != nil {
		return fault
	}
	c.ToolUseID, _ = protocol.Unquote(use)
	if token == nil || isNull(token) {
		return nil
	}
	switch token[0] {
	case '{', '[', 't', 'f':
		return invalidParams("progressToken must be a string or a number, not %.40s", token)
	case '"':
		if !utf8.Valid(token) { // it is echoed
			return invalidParams("progressToken is not valid UTF-8")
		}
	}
	c.ProgressToken = token
	return nil
}

// once stores a member and refuses a second one: two readers could take different ones.
func once(key string, field *[]byte, value []byte) *protocol.Error {
	if *field != nil {
		return invalidParams("%q comes twice", key)
	}
	*field = value
	return nil
}

func isNull(value []byte) bool { return string(value) == "null" }

// CancelledID returns the requestId of a notifications/cancelled, as exact bytes, and its reason; an empty id when
// there is none.
func CancelledID(req *protocol.Request) (id, reason string) {
	object("params", req.Params, func(key, value []byte) *protocol.Error {
		switch string(key) {
		case "requestId":
			id = string(value)
		case "reason":
			reason, _ = protocol.Unquote(value)
		}
		return nil
	})
	return id, reason
}
