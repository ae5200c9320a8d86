package luabind

import (
	"fmt"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/protocol/mcp"
)

// several makes a result of two values or more: nil or false and a message are a failure. It returns nil when the first value
// alone counts, which a second value that is lost must not be: only the count that gsub adds to its text may be.
func (o *ResultOptions) several(values []lua.LValue) (*mcp.CallToolResult, error) {
	for len(values) > 1 && values[len(values)-1] == lua.LNil {
		values = values[:len(values)-1]
	}
	if len(values) < 2 {
		return nil, nil
	}
	if values[0] == lua.LNil || values[0] == lua.LFalse {
		return o.failure(values[1])
	}
	if values[0].Type() == lua.LTString && values[1].Type() == lua.LTNumber && len(values) == 2 {
		return nil, nil
	}
	return nil, fmt.Errorf("run returned %d values, %s and %s, and one is the result: return a list { a, b }, join texts with .., "+
		"or put a call in parentheses, return (f()), to keep its first value; a failure is return nil, message", len(values), got(values[0]), got(values[1]))
}

// failure makes the result of a failed call: a table is an error object like that of error{…}, else data for the model.
func (o *ResultOptions) failure(message lua.LValue) (*mcp.CallToolResult, error) {
	t, ok := message.(*lua.LTable)
	if !ok {
		if s, ok := message.(lua.LString); ok {
			return errorResult(string(s), ""), nil
		}
		if text, ok := scalarText(message); ok {
			return errorResult(text, ""), nil
		}
		return nil, fmt.Errorf("run returned nil and %s: a failure is return nil, message", got(message))
	}
	text, hasText := t.RawGetString("message").(lua.LString)
	if number, ok := scalarText(t.RawGetString("message")); ok {
		text, hasText = lua.LString(number), true
	}
	hint, hasHint := t.RawGetString("hint").(lua.LString)
	if hasText || hasHint {
		return errorResult(string(text), string(hint)), nil
	}
	if k, _ := t.Next(lua.LNil); k == lua.LNil {
		return errorResult("", ""), nil
	}
	var res *mcp.CallToolResult
	err := o.jsonText(t, nil, "the message behind nil", func(json []byte, err error) {
		message := string(json)
		if o.cut = err != nil; o.cut {
			message = cutText(message, o.MaxResult, "more than "+formatSize(o.MaxResult))
		}
		res = errorResult(message, "")
	})
	return res, err
}
