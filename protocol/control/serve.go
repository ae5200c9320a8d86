package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/luatools/luatools/protocol"
)

// incoming is one request of the CLI, from its line to its answer.
type incoming struct {
	id      []byte // as it came
	raw     []byte // the request object
	subtype string
	server  string            // of an MCP message
	rpc     *protocol.Request // of an MCP message
	fault   *protocol.Error   // why it can only be refused
	reply   bool              // the message answers one of ours

	ctx       context.Context
	cancel    context.CancelFunc // ends ctx, and the JSON-RPC call when it is one
	withdrawn bool               // the CLI wants no answer any more; guarded by Conn.mu

	// What goes back; here to be no allocations of their own.
	answer answer
	mcp    mcpAnswer
}

// request starts the work on a control_request. An id that is in work already is a second delivery and starts nothing.
func (c *Conn) request(ctx context.Context, e envelope) {
	if e.id == nil {
		c.noise(e.raw, `control_request without "request_id"`)
		return
	}
	in := &incoming{id: e.id, raw: e.request, ctx: ctx}
	c.mu.Lock()
	if c.inWork[string(e.id)] != nil {
		c.mu.Unlock()
		return
	}
	c.inWork[string(e.id)] = in
	c.mu.Unlock()

	c.open(in)
	if in.cancel == nil {
		in.ctx, in.cancel = context.WithCancel(ctx)
	}
	c.work.Add(1)
	go c.run(in)
}

// open takes the request apart. It belongs to the goroutine that reads: a notifications/cancelled that follows on the wire
// must find its call registered.
func (c *Conn) open(in *incoming) {
	parts, err := decodeInner(in.raw)
	if err != nil {
		in.fault = malformed(err.Error())
		return
	}
	in.subtype = parts.subtype
	if in.subtype != "mcp_message" {
		return
	}
	if in.server = c.serverName(parts.server); parts.server == nil || parts.message == nil {
		in.fault = malformed(`mcp_message needs "server_name" and "message"`)
		return
	}
	req, reply, bad := protocol.Decode(parts.message, true)
	switch {
	case bad != nil && (bad.Answer || bytes.Equal(bad.ID, []byte("null"))):
		// An error under an id that the CLI does not know would leave its call waiting: refuse the control request.
		in.fault = malformed("mcp_message: " + bad.Error())
	case bad != nil:
		in.rpc = &protocol.Request{ID: bad.ID}
		in.fault = bad.Err
	case reply != nil:
		// The answer to a request of ours. We send none, so nobody waits; it only wants its acknowledgement.
		in.reply = true
	case req.Notification():
		in.rpc = req
		if req.Method == "notifications/cancelled" {
			c.calls.Cancel(callKey(in.server, member(req.Params, "requestId")), ErrCancelled)
		}
	default:
		in.rpc = req
		in.ctx, in.cancel = c.calls.Begin(in.ctx, callKey(in.server, req.ID))
	}
}

// serverName returns the text of a server's name, which is mostly the same as in the message before.
func (c *Conn) serverName(raw []byte) string {
	if string(raw) != c.lastServer.raw {
		c.lastServer.raw, c.lastServer.name = string(raw), text(raw)
	}
	return c.lastServer.name
}

func malformed(why string) *protocol.Error {
	return &protocol.Error{Code: protocol.CodeInvalidRequest, Message: why}
}

// callKey names a JSON-RPC call: ids start at 0 on each server.
func callKey(server string, id []byte) string { return server + "\x00" + string(id) }

// withdraw handles a control_cancel_request: the request's context is cancelled and its answer dropped.
func (c *Conn) withdraw(id []byte) {
	c.mu.Lock()
	in := c.inWork[string(id)]
	if in != nil {
		in.withdrawn = true
	}
	c.mu.Unlock()
	if in != nil {
		in.cancel()
	}
}

// run answers a request, in the request's own goroutine.
func (c *Conn) run(in *incoming) {
	defer c.work.Done()
	defer c.forget(in)
	a := c.ask(in)
	if a == nil || !c.awaited(in) {
		return
	}
	err := c.out.WriteJSON(a)
	if err != nil && c.brokenBy() == nil {
		// The answer could not be encoded. The CLI waits for one all the same.
		err = c.out.WriteJSON(&answer{id: in.id, fail: in.subtype + ": " + err.Error()})
	}
	if err == nil && in.rpc != nil {
		c.h.Written(in.server, in.rpc)
	}
}

// forget ends the request's context and frees its id.
func (c *Conn) forget(in *incoming) {
	in.cancel()
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.inWork, string(in.id))
	if len(c.inWork) == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// awaited reports whether the CLI is there and still wants the answer.
func (c *Conn) awaited(in *incoming) bool {
	select {
	case <-c.done:
		return false
	default:
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return !in.withdrawn
}

func (c *Conn) brokenBy() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.writeErr
}

// ask asks the Handler and returns what goes back, nil when nothing does. A panic of the Handler becomes an error.
func (c *Conn) ask(in *incoming) (a *answer) {
	defer func() {
		if p := recover(); p != nil {
			if c.o.Fault != nil {
				c.o.Fault(fmt.Errorf("panic in %s: %v\n%s", in.subtype, p, debug.Stack()))
			}
			a = in.failed(fmt.Errorf("panic in %s: %v", in.subtype, p))
		}
	}()
	if in.fault != nil {
		return in.failed(in.fault)
	}
	switch in.subtype {
	case "mcp_message":
		return c.mcpMessage(in)
	case "can_use_tool":
		return c.canUseTool(in)
	case "hook_callback":
		return c.hook(in)
	case "elicitation":
		return in.success(declined)
	case "request_user_dialog":
		return nil // we declare no dialog; an answer would end one that somebody else shows
	}
	return &answer{id: in.id, fail: "unsupported control request: " + in.subtype}
}

func (c *Conn) mcpMessage(in *incoming) *answer {
	if in.reply {
		return in.success(acknowledged)
	}
	res, err := c.h.MCPMessage(in.ctx, in.server, in.rpc)
	switch {
	case in.rpc.Notification():
		return in.success(acknowledged)
	case context.Cause(in.ctx) == ErrCancelled:
		return in.rpcError(&protocol.Error{Code: protocol.CodeCancelled, Message: "the call was cancelled"})
	case err != nil:
		return in.failed(err)
	case res == nil:
		return in.failed(fmt.Errorf("server %q gave no answer to %s", in.server, in.rpc.Method))
	}
	in.mcp.Response = *res
	in.mcp.ID = in.rpc.ID // with any other the CLI's call would never end
	return in.success(&in.mcp)
}

func (c *Conn) canUseTool(in *incoming) *answer {
	req, err := decodePermission(in.raw)
	if err != nil {
		return in.failed(err)
	}
	res, err := c.h.CanUseTool(in.ctx, req)
	if err != nil {
		return in.failed(err)
	}
	payload, err := permissionAnswer(req, res)
	if err != nil {
		return in.failed(err)
	}
	return in.success(payload)
}

func (c *Conn) hook(in *incoming) *answer {
	req, err := decodeHook(in.raw)
	if err != nil {
		return in.failed(err)
	}
	res, err := c.h.Hook(in.ctx, req)
	if err != nil {
		return in.failed(err)
	}
	if res == nil || res.Output == nil {
		return in.success(nothing)
	}
	if !protocol.IsObject(res.Output) {
		return in.failed(fmt.Errorf("the output of hook %s is no JSON object", req.CallbackID))
	}
	return in.success(protocol.Raw(res.Output))
}

// failed answers with an error: a JSON-RPC one where the CLI waits for JSON-RPC, else the control protocol's. A
// notification is acknowledged whatever became of it.
func (in *incoming) failed(err error) *answer {
	switch {
	case in.rpc != nil && in.rpc.Notification():
		return in.success(acknowledged)
	case in.rpc != nil:
		rpc, ok := errors.AsType[*protocol.Error](err)
		if !ok {
			rpc = &protocol.Error{Code: protocol.CodeInternal, Message: err.Error()}
		}
		return in.rpcError(rpc)
	}
	msg := err.Error()
	if msg == "" {
		msg = in.subtype + " failed"
	}
	return &answer{id: in.id, fail: msg}
}

func (in *incoming) rpcError(err *protocol.Error) *answer {
	in.mcp.Response = protocol.Response{ID: in.rpc.ID, Error: err}
	return in.success(&in.mcp)
}

func (in *incoming) success(payload protocol.Appender) *answer {
	in.answer = answer{id: in.id, payload: payload}
	return &in.answer
}
