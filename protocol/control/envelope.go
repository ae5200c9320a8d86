package control

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/luatools/luatools/protocol"
)

// envelope is one line of the CLI, taken apart no further than its type needs. Its parts alias the line; a part that is
// missing is nil.
type envelope struct {
	kind, subtype              string
	id, request, response, raw []byte
}

// decode reads one line, which must be a JSON object.
func decode(line []byte) (envelope, error) {
	e := envelope{raw: line}
	err := protocol.Members(line, func(key, value []byte) bool {
		switch string(key) {
		case "type":
			e.kind = word(value)
		case "subtype":
			e.subtype = word(value)
		case "request_id":
			e.id = value
		case "request":
			e.request = value
		case "response":
			e.response = value
		}
		return true
	})
	return e, err
}

// word returns the text of a JSON string, without an allocation for those that come often; "" when raw is no string.
func word(raw []byte) string {
	switch string(raw) {
	case `"control_request"`:
		return "control_request"
	case `"control_response"`:
		return "control_response"
	case `"mcp_message"`:
		return "mcp_message"
	case `"can_use_tool"`:
		return "can_use_tool"
	case `"assistant"`:
		return "assistant"
	case `"user"`:
		return "user"
	case `"system"`:
		return "system"
	case `"stream_event"`:
		return "stream_event"
	}
	s, _ := protocol.Unquote(raw)
	return s
}

// reply is the CLI's answer to a request of ours.
type reply struct {
	id      string
	payload json.RawMessage // nil when there is none
	failed  bool
	text    string // of the error
	code    string
	asked   []byte // permission questions that the CLI still has open
}

// decodeReply reads the response member of a control_response.
func decodeReply(b []byte) (reply, error) {
	var r reply
	err := protocol.Members(b, func(key, value []byte) bool {
		switch string(key) {
		case "request_id":
			r.id, _ = protocol.Unquote(value)
		case "subtype":
			r.failed = string(value) == `"error"`
		case "response":
			if string(value) != "null" {
				r.payload = value
			}
		case "error":
			if r.text, _ = protocol.Unquote(value); r.text == "" {
				r.text = string(value)
			}
		case "error_code":
			if r.code, _ = protocol.Unquote(value); r.code == "" {
				r.code = string(value)
			}
		case "pending_permission_requests":
			r.asked = value
		}
		return true
	})
	return r, err
}

// inner is the request member of a control_request, taken apart as far as an MCP message needs.
type inner struct {
	subtype         string
	server, message []byte
}

func decodeInner(b []byte) (inner, error) {
	var in inner
	if b == nil {
		return in, errors.New(`control_request without "request"`)
	}
	err := protocol.Members(b, func(key, value []byte) bool {
		switch string(key) {
		case "subtype":
			in.subtype = word(value)
		case "server_name":
			in.server = value
		case "message":
			in.message = value
		}
		return true
	})
	if err != nil {
		return in, errors.New("the request of a control_request must be an object")
	}
	if in.subtype == "" {
		return in, errors.New(`control_request without "subtype"`)
	}
	return in, nil
}

// decodePermission reads a can_use_tool request.
func decodePermission(b []byte) (*PermissionRequest, error) {
	r := &PermissionRequest{Raw: b}
	err := protocol.Members(b, func(key, value []byte) bool {
		switch string(key) {
		case "tool_name":
			r.ToolName = text(value)
		case "input":
			r.Input = value
		case "tool_use_id":
			r.ToolUseID = text(value)
		case "permission_suggestions":
			_ = protocol.Elements(value, func(s []byte) bool { // null, or nothing usable: no suggestions
				r.Suggestions = append(r.Suggestions, s)
				return true
			})
		case "blocked_path":
			r.BlockedPath = text(value)
		case "decision_reason":
			r.DecisionReason = text(value)
		case "decision_reason_type":
			r.ReasonType = text(value)
		case "title":
			r.Title = text(value)
		case "display_name":
			r.DisplayName = text(value)
		case "description":
			r.Description = text(value)
		case "agent_id":
			r.AgentID = text(value)
		case "mcp_server":
			r.ServerName = text(member(value, "name"))
		case "requires_user_interaction":
			r.RequiresPerson = isTrue(value)
		case "default_to_no":
			r.DefaultToNo = isTrue(value)
		case "suppress_always_allow_rule":
			r.SuppressAlways = isTrue(value)
		case "server_policy_ask_only":
			r.PolicyOnlyToAsk = isTrue(value)
		}
		return true
	})
	switch {
	case err != nil:
		return nil, err
	case r.ToolName == "":
		return nil, errors.New(`can_use_tool without "tool_name"`)
	case len(r.Input) == 0 || r.Input[0] != '{':
		return nil, errors.New(`can_use_tool for ` + r.ToolName + `: "input" must be an object`)
	}
	return r, nil
}

// decodeHook reads a hook_callback request.
func decodeHook(b []byte) (*HookRequest, error) {
	var r HookRequest
	err := protocol.Members(b, func(key, value []byte) bool {
		switch string(key) {
		case "callback_id":
			r.CallbackID = text(value)
		case "tool_use_id":
			r.ToolUseID = text(value)
		case "input":
			r.Input = value
		}
		return true
	})
	if err == nil && r.CallbackID == "" {
		err = errors.New(`hook_callback without "callback_id"`)
	}
	return &r, err
}

// text returns the text of a JSON string and "" for everything else, null and what is missing included.
func text(raw []byte) string {
	s, _ := protocol.Unquote(raw)
	return s
}

func isTrue(raw []byte) bool { return string(raw) == "true" }

// member returns the value of one member of the object b, nil when it is missing or b is no object.
func member(b []byte, name string) (value []byte) {
	if len(b) == 0 || b[0] != '{' {
		return nil
	}
	_ = protocol.Members(b, func(k, v []byte) bool { // b is part of a line that was checked
		if string(k) == name {
			value = v
			return false
		}
		return true
	})
	return value
}

// isObject reports whether a line begins like the object that every line of the protocol is.
func isObject(line []byte) bool {
	line = bytes.TrimLeft(line, " \t\r")
	return len(line) > 0 && line[0] == '{'
}
