package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/mcp"
	"github.com/luatools/luatools/protocol/schema"
	"github.com/luatools/luatools/scripts"
)

// caller is where calls come from: a session, an MCP client, or a person.
type caller struct {
	line      *line      // who is asked; nil: nobody
	person    bool       // the caller is the person: their call is the go-ahead
	answers   *answers   // what was said for the rest of the session; nil outside one
	approvals *approvals // what was said to can_use_tool; nil outside a session
}

// call is one call on its way through the gate, with all it needs in one allocation.
type call struct {
	h        *Host
	from     *caller
	tool     *tool
	id       string
	useID    string
	args     json.RawMessage // the normal form, once the schema step is done
	ran      time.Duration
	progress progress
	info     luabind.CallInfo // for a Lua tool
}

// gate is the one road to a tool, whoever calls: schema → policy → the person, where it asks → a free slot → the tool → the observer. Policy, person,
// observer and tool see the arguments in normal form only. The result is never nil; what goes wrong here is a result with isError,
// because the model can act on it.
func (h *Host) gate(ctx context.Context, from *caller, t *tool, p *mcp.CallToolParams) *mcp.CallToolResult {
	c := &call{h: h, from: from, tool: t, id: h.callID(), useID: p.ToolUseID}
	args, err := t.input.Normalize(p.Arguments)
	if err != nil {
		c.args = p.Arguments
		c.observe(CallEvent{})
		return c.done(mcp.ErrorResult(misfit(t, err)), CallEvent{Err: err})
	}
	c.args = args
	c.observe(CallEvent{})
	said, err := c.judge(ctx)
	switch {
	case err != nil:
		return c.done(mcp.ErrorResult("The call did not run: "+err.Error()), CallEvent{Err: err})
	case !said.allow:
		return c.done(mcp.ErrorResult(said.text), CallEvent{Denied: true})
	}
	if !from.person { // who sits there and calls does not wait for a model
		if err := h.slots.enter(ctx); err != nil {
			return c.done(mcp.ErrorResult(h.slots.refusal(err)), CallEvent{Err: err})
		}
		defer h.slots.leave()
	}
	res, err := c.run(ctx, p.ProgressToken)
	return c.done(res, CallEvent{Err: err})
}

// pass is the gate for calls of clients: after one that may have written a tool file the folder is looked at before the answer goes.
func (h *Host) pass(ctx context.Context, from *caller, t *tool, p *mcp.CallToolParams) *mcp.CallToolResult {
	res := h.gate(ctx, from, t, p)
	if t.mayWrite() {
		h.rescan(ctx)
	}
	return res
}

// judge asks the policy, and the person where the policy asks.
func (c *call) judge(ctx context.Context) (verdict, error) {
	d, err := c.h.decide(ctx, c.tool, c.args)
	if err != nil || d.Behavior == Allow {
		return verdict{allow: err == nil}, err
	}
	if d.Behavior == Ask {
		if said, ok := c.from.approvals.take(c.useID, c.tool.name, c.args); ok {
			return said, nil
		}
	}
	return c.from.settle(ctx, d, c.tool.question(c.args))
}

// decide is the policy's decision on a tool of ours with these arguments.
func (h *Host) decide(ctx context.Context, t *tool, args json.RawMessage) (Decision, error) {
	s := t.subject
	if t.confirms {
		text, err := t.confirmText(ctx, args)
		switch {
		case err != nil:
			return Decision{}, err
		case text != "" && s.Asks != "":
			s.Asks = text + " (" + s.Asks + ")"
		case text != "":
			s.Asks = text
		}
	}
	return h.policy.Load().Decide(s), nil
}

// confirmText runs the file's confirm. One that fails stops the call: it was there to protect something.
func (t *tool) confirmText(ctx context.Context, args json.RawMessage) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("confirm of %s: panic: %v", t.people, p)
		}
	}()
	text, err = t.lua.ConfirmText(ctx, args)
	if err != nil {
		return "", fmt.Errorf("confirm of %s: %w", t.people, err)
	}
	return text, nil
}

func (t *tool) question(args json.RawMessage) Question {
	q := Question{Tool: t.people, Input: args, Declares: t.declares}
	if t.lua != nil {
		q.File, q.Line = t.lua.File, t.lua.Line
	}
	return q
}

// run calls the tool. It returns a result in any case, and for the author what went wrong.
func (c *call) run(ctx context.Context, token json.RawMessage) (res *mcp.CallToolResult, err error) {
	began := time.Now()
	c.progress.begin(ctx, c, token)
	defer func() {
		if p := recover(); p != nil {
			res = mcp.ErrorResult("The tool has a fault and could not finish.")
			err = fmt.Errorf("tool %s: panic: %v\n%s", c.tool.people, p, debug.Stack())
		}
		c.progress.end()
		c.ran = time.Since(began)
	}()
	if c.tool.native != nil {
		return c.runGo(ctx)
	}
	c.inform(began)
	return c.tool.lua.Call(scripts.WithCall(ctx, &c.info), c.args)
}

// inform fills in what the Lua code may know and tell. Where nobody listens there is no function.
func (c *call) inform(began time.Time) {
	c.info = luabind.CallInfo{
		Tool: c.tool.name.Tool, Server: c.tool.name.Server, CallID: c.id, ToolUseID: c.useID,
	}
	if d := c.timeout(); d > 0 {
		c.info.Deadline = began.Add(d)
	}
	if c.progress.notifier != nil || c.h.o.Observer != nil {
		c.info.Progress = c.progress.send
	}
	if c.h.o.Log != nil {
		c.info.Log = func(level, message string) {
			c.h.log(LogEntry{Level: level, Tool: c.tool.people, CallID: c.id, Text: message})
		}
	}
}

// timeout is how long the call may run: as the tool says, else as the host does; 0 is no bound.
func (c *call) timeout() time.Duration {
	return cmp.Or(c.tool.timeout, time.Duration(c.h.timeout.Load()))
}

// errTimeout is the cause of a context whose call took too long.
var errTimeout = errors.New("the call took longer than it may")

// runGo calls a Go tool, whose only clock is its context.
func (c *call) runGo(ctx context.Context) (*mcp.CallToolResult, error) {
	limit := c.timeout()
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, limit, errTimeout)
		defer cancel()
	}
	res, err := c.tool.native.Call(context.WithValue(ctx, progressKey{}, &c.progress), c.args)
	if err == nil {
		if res, err = settle(res); err == nil {
			return res, nil
		}
	}
	switch {
	case context.Cause(ctx) == errTimeout:
		return mcp.ErrorResult(fmt.Sprintf("The call took longer than the %s it may.", limit)), err
	case ctx.Err() != nil:
		return mcp.ErrorResult("The call was cancelled."), err
	}
	return mcp.ErrorResult(err.Error()), err
}

// observe tells the observer of this call; done also ends it.
func (c *call) observe(e CallEvent) {
	if c.h.o.Observer == nil {
		return
	}
	e.Tool, e.CallID, e.ToolUseID, e.Input = c.tool.people, c.id, c.useID, c.args
	c.h.o.Observer.Call(e)
}

func (c *call) done(res *mcp.CallToolResult, e CallEvent) *mcp.CallToolResult {
	e.Done, e.Result, e.Duration = true, res, c.ran
	c.observe(e)
	return res
}

// misfit is what the model reads when its arguments do not fit: what is wrong, and the signature as it is now. The model may hold an older one.
func misfit(t *tool, err error) string {
	if _, ok := errors.AsType[*schema.ViolationsError](err); ok {
		return err.Error() // ends with the signature
	}
	return err.Error() + "\nexpected: " + t.input.Signature()
}

// unknownTool is the protocol error for a name that no tool has, told to the observer as well.
func (h *Host) unknownTool(e *UnknownToolError, p *mcp.CallToolParams) error {
	h.observe(CallEvent{Tool: e.Name, ToolUseID: p.ToolUseID, Input: p.Arguments, Done: true, Err: e})
	return &protocol.Error{Code: protocol.CodeInvalidParams, Message: e.Error()}
}

// callID makes the id of the next call: unique in this process and, by its random beginning, most likely everywhere.
func (h *Host) callID() string {
	b := make([]byte, 0, 24)
	b = append(b, h.prefix...)
	return string(strconv.AppendUint(b, h.calls.Add(1), 10))
}
