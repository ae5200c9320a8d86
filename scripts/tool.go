package scripts

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/luabind/luajson"
	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/protocol/mcp"
	"github.com/luatools/luatools/protocol/schema"
)

// Tool is one callable. Fields are read-only. It stays callable after a reload took it out of the snapshot.
type Tool struct {
	Server, Name string
	Plain        string              // the name that a plain MCP client sees: bare in the top folder, else <server>_<name>
	Definition   *luabind.Definition // of the load: its functions must not be called
	Input        *schema.Schema      // what arguments are judged by (Definition.InputGate)
	Output       *schema.Schema      // what structured output is judged by; nil when not declared
	Timeout      time.Duration       // 0: the host's default
	File         string              // relative to the folder's parent: "tools/weather/current.lua"
	Line         int
	Why          string // of a disabled tool

	file      *file
	index     int // among the tools of the file
	named     bool
	disabled  bool
	timeoutIn string         // the file that sets Timeout
	shape     *luajson.Shape // of the output
}

// Call runs the tool on args, which must be in normal form (schema.Schema.Normalize); nil is {}. The CallInfo for Lua comes by WithCall.
// Any number of calls run at once; those of keep tools of one file wait for each other. A call ends at the tool's timeout, else at the
// Deadline of its CallInfo, and at the context's deadline if that is before.
//
// An error is a *sandbox.Fault for the author; the result (never nil) is what the model reads in any case.
func (t *Tool) Call(ctx context.Context, args json.RawMessage) (*mcp.CallToolResult, error) {
	c := call{tool: t, began: time.Now()}
	c.bound(ctx)
	res, err := c.run(ctx, args)
	if err == nil {
		return res, nil
	}
	f := asFault(err, t)
	return c.failure(f), f
}

// call is one run of a tool.
type call struct {
	tool   *Tool
	began  time.Time
	limits sandbox.Limits
	ours   bool // Limits.Wall is the tool's own timeout, not the caller's deadline
	info   *luabind.CallInfo
}

// slack is how much earlier than the tool's timeout the caller's deadline may be and still be taken for it: callers set theirs from
// Tool.Timeout a moment before.
const slack = 50 * time.Millisecond

// bound sets how long the call may run, and what Lua is told of it.
func (c *call) bound(ctx context.Context) {
	t := c.tool
	c.limits = t.file.states.limits
	c.info = callInfo(ctx)
	switch {
	case t.Timeout > 0:
		c.limits.Wall, c.ours = t.Timeout, true
	case c.info != nil && !c.info.Deadline.IsZero():
		c.limits.Wall = max(c.info.Deadline.Sub(c.began), 1)
	case c.limits.Wall <= 0:
		c.limits.Wall = defaultWall
	}
	deadline := c.began.Add(c.limits.Wall)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		c.ours = c.ours && deadline.Sub(d) < slack
		deadline = d
		c.limits.Wall = max(d.Sub(c.began), 1)
	}
	if c.info == nil || c.info.Tool == "" || c.info.Deadline.IsZero() {
		own := luabind.CallInfo{}
		if c.info != nil {
			own = *c.info
		}
		if own.Tool == "" {
			own.Tool, own.Server = t.Name, t.Server
		}
		if own.Deadline.IsZero() {
			own.Deadline = deadline
		}
		c.info = &own
	}
}

// left is the limits with the time that the call still has.
func (c *call) left() sandbox.Limits {
	limits := c.limits
	limits.Wall = max(limits.Wall-time.Since(c.began), 1)
	return limits
}

// defaultWall bounds a call where neither the tool, nor the caller, nor the options say how long it may run.
const defaultWall = 60 * time.Second

func (c *call) run(ctx context.Context, args json.RawMessage) (res *mcp.CallToolResult, err error) {
	t := c.tool
	s := t.file.states
	if !s.running.enter() {
		return nil, &sandbox.Fault{Kind: sandbox.Cancelled, Message: "the tools are closed"}
	}
	defer s.running.leave()
	if err := ctx.Err(); err != nil {
		return nil, c.stopped(ctx)
	}
	var r *ready
	defer func() {
		// The sandbox recovers what happens in Lua code; this is for what we and luabind do around it.
		if p := recover(); p != nil {
			res, err = nil, crash(p, t.File, t.Line)
		}
		if r != nil {
			s.give(r, t.Definition.Keep, err)
		}
	}()
	if r, err = s.take(ctx, c, t.Definition.Keep); err != nil {
		return nil, err
	}
	return c.on(ctx, r, args)
}

// on runs the tool in a ready state.
func (c *call) on(ctx context.Context, r *ready, args json.RawMessage) (*mcp.CallToolResult, error) {
	t, s := c.tool, r.state
	used := s.Begin(ctx, sandbox.Calling, c.left(), c.info)
	defer s.End()
	value, err := decode(args, used)
	if err != nil {
		return nil, err
	}
	f, _, _ := luabind.FunctionsOf(r.values, t.index)
	values, err := s.Call(f.Run, value, luabind.NewContext(s.L, c.info))
	if err != nil {
		return nil, err
	}
	res, err := luabind.Result(s.L, values, luabind.ResultOptions{Output: t.Output != nil, Shape: t.shape, MaxResult: cmp.Or(t.Definition.MaxResult, t.file.states.maxResult)})
	if err != nil {
		return nil, err
	}
	if err := used.Take(resultBytes(res)); err != nil {
		return nil, err
	}
	if t.Output != nil && !res.IsError {
		if err := t.checkOutput(res.StructuredContent); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// decode makes a Lua value of the arguments. A parameter that is null counts as absent; null further down is data that must survive.
// Arguments that cannot be read are no fault of the tool. Their tables are charged to the call; of small ones the text alone is, because
// they cannot become large.
func decode(args json.RawMessage, used *sandbox.Call) (lua.LValue, error) {
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	limits := used.Limits()
	most := limits.StringBytes
	o := luajson.DecodeOptions{Nulls: luajson.NullsBelow, Limits: luajson.Limits{String: most, Depth: limits.Depth}}
	if len(args) > smallArguments {
		o.Charge = func(n int) { _ = used.Take(n) } // looked at when all is read: the length bounds it
	} else {
		_ = used.Take(len(args))
	}
	value, err := luajson.Decode(args, o)
	if over := used.Err(); over != nil {
		return nil, over
	}
	if errors.Is(err, luajson.ErrTooLarge) && len(args) > most {
		return nil, &sandbox.Fault{Kind: sandbox.Raised, Message: fmt.Sprintf("an argument is too long: %v; send less, or in several calls", err)}
	}
	if err != nil {
		return nil, &sandbox.Fault{Kind: sandbox.Raised, Message: fmt.Sprintf("the arguments cannot be read: %v", err)}
	}
	return value, nil
}

// smallArguments is the length of arguments that are not worth counting in detail.
const smallArguments = 1 << 10

// resultBytes is how much text and data a result holds.
func resultBytes(res *mcp.CallToolResult) (n int) {
	for i := range res.Content {
		c := &res.Content[i]
		n += len(c.Text) + len(c.Data) + len(c.Resource)
	}
	return n + len(res.StructuredContent)
}

// Leftover says what the last call of the tool's file that left something behind left, such as "local `cache` → `n`"; it is lost,
// for every call sees a state as if new. Empty when none did. keep tools are not looked at.
func (t *Tool) Leftover() string { return t.file.states.pool.leftover() }

// checkOutput judges what the tool returned against its own output schema.
func (t *Tool) checkOutput(structured json.RawMessage) error {
	err := t.Output.Validate(structured)
	if err == nil {
		return nil
	}
	return fmt.Errorf("what it returned does not fit its output: %w", err)
}

// ConfirmText returns what a person should be asked before this call, "" for nothing (the file's confirm, string or function of args).
// A function runs in a state as if new, without clock or world, for at most 2 s.
func (t *Tool) ConfirmText(ctx context.Context, args json.RawMessage) (text string, err error) {
	if t.Definition.ConfirmFunc == nil {
		return t.Definition.Confirm, nil
	}
	c := call{tool: t, began: time.Now()}
	c.bound(ctx)
	c.limits.Wall = min(c.limits.Wall, loadWall)
	s := t.file.states
	if !s.running.enter() {
		return "", &sandbox.Fault{Kind: sandbox.Cancelled, Message: "the tools are closed"}
	}
	defer s.running.leave()
	var r *ready
	defer func() {
		if p := recover(); p != nil {
			text, err = "", crash(p, t.File, t.Line)
		}
		if r != nil {
			s.give(r, false, err)
		}
	}()
	// Also for keep tools: a question must not wait for the calls in line, nor change what they keep.
	if r, err = s.take(ctx, &c, false); err != nil {
		return "", asFault(err, t)
	}
	if text, err = c.confirm(ctx, r, args); err != nil {
		return "", asFault(err, t)
	}
	return text, nil
}

func (c *call) confirm(ctx context.Context, r *ready, args json.RawMessage) (string, error) {
	s := r.state
	used := s.Begin(ctx, sandbox.Pure, c.left(), c.info)
	defer s.End()
	value, err := decode(args, used)
	if err != nil {
		return "", err
	}
	f, _, _ := luabind.FunctionsOf(r.values, c.tool.index)
	values, err := s.Call(f.Confirm, value)
	switch {
	case err != nil:
		return "", err
	case len(values) == 0 || values[0] == lua.LNil || values[0] == lua.LFalse:
		return "", nil
	case values[0].Type() != lua.LTString:
		return "", fmt.Errorf("confirm returned a %s: want the text of a question, or nil", values[0].Type())
	}
	return values[0].String(), nil
}

// callKey finds a *luabind.CallInfo in a context.
type callKey struct{}

// callContext carries a CallInfo without a second allocation.
type callContext struct {
	context.Context
	info *luabind.CallInfo
}

func (c *callContext) Value(key any) any {
	if key == (callKey{}) {
		return c.info
	}
	return c.Context.Value(key)
}

// WithCall returns a context that carries info to the Lua code called under it. What info leaves empty of Tool, Server and
// Deadline is filled in for Lua; info itself is not changed.
func WithCall(ctx context.Context, info *luabind.CallInfo) context.Context {
	return &callContext{ctx, info}
}

func callInfo(ctx context.Context) *luabind.CallInfo {
	if c, ok := ctx.(*callContext); ok {
		return c.info
	}
	info, _ := ctx.Value(callKey{}).(*luabind.CallInfo)
	return info
}
