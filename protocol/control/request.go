package control

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/luatools/luatools/protocol"
)

// Request sends a control request of ours and waits for the payload of its answer, nil when it has none. [Conn.Serve]
// must be running. fields is nil or what encodes as a JSON object: an [protocol.Appender], a [json.RawMessage], or
// anything that encoding/json takes.
//
// Errors: a [*RequestError] with the CLI's own text, [ErrTimeout] after Options.RequestTimeout, the context's error, and
// [ErrClosed] when the CLI has ended or a write has failed.
func (c *Conn) Request(ctx context.Context, subtype string, fields any) (json.RawMessage, error) {
	members, err := encodeFields(fields)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", subtype, err)
	}
	id, ch := c.expect(subtype)
	defer c.unexpect(id)
	if err := c.write(&outgoing{id, subtype, members}); err != nil {
		return nil, fmt.Errorf("%s: %w", subtype, err)
	}
	timeout := time.NewTimer(c.o.RequestTimeout)
	defer timeout.Stop()
	select {
	case r := <-ch:
		return r.result(subtype)
	case <-c.done:
		select {
		case r := <-ch: // it came before the end
			return r.result(subtype)
		default:
		}
		return nil, fmt.Errorf("%s: %w", subtype, c.closedBy())
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", subtype, ctx.Err())
	case <-timeout.C:
		return nil, fmt.Errorf("%s: %w (waited %s)", subtype, ErrTimeout, c.o.RequestTimeout)
	}
}

func (r reply) result(subtype string) (json.RawMessage, error) {
	if r.failed {
		return nil, &RequestError{Subtype: subtype, Text: r.text, Code: r.code}
	}
	return r.payload, nil
}

// pending is a request of ours that waits for its answer.
type pending struct {
	ch    chan reply // holds one
	again bool       // a repeated initialize, whose answer names the questions that are open
}

// expect makes an id for a request of ours and the channel for its answer.
func (c *Conn) expect(subtype string) (string, <-chan reply) {
	p := pending{ch: make(chan reply, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if subtype == "initialize" {
		p.again = c.initialized
		c.initialized = true
	}
	id := c.nextID()
	c.pending[id] = p
	return id, p.ch
}

func (c *Conn) nextID() string {
	c.last++
	return "lt-" + strconv.Itoa(c.last)
}

func (c *Conn) unexpect(id string) {
	c.mu.Lock()
	delete(c.pending, id)
	c.mu.Unlock()
}

func (c *Conn) closedBy() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// answered hands the CLI's answer to the request of ours that waits for it; without one it is dropped.
func (c *Conn) answered(ctx context.Context, e envelope) {
	r, err := decodeReply(e.response)
	if err != nil || r.id == "" {
		c.noise(e.raw, `control_response without a "response" that names its request`)
		return
	}
	c.mu.Lock()
	p, known := c.pending[r.id]
	delete(c.pending, r.id)
	c.mu.Unlock()
	if !known {
		return
	}
	p.ch <- r
	if p.again {
		c.askedAgain(ctx, r.asked)
	}
}

// askedAgain takes up the questions that a CLI still has open when initialize is repeated. One that is in work is not
// started a second time.
func (c *Conn) askedAgain(ctx context.Context, list []byte) {
	_ = protocol.Elements(list, func(b []byte) bool { // nothing usable: nothing to take up
		if e, err := decode(b); err == nil && e.request != nil {
			c.request(ctx, e)
		}
		return true
	})
}

// outgoing is a control request of ours.
type outgoing struct {
	id, subtype string
	members     []byte // without braces
}

// AppendJSON implements [protocol.Appender].
func (o *outgoing) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"type":"control_request","request_id":`...)
	dst = protocol.AppendString(dst, o.id)
	dst = append(dst, `,"request":{"subtype":`...)
	dst = protocol.AppendString(dst, o.subtype)
	if len(o.members) > 0 {
		dst = append(append(dst, ','), o.members...)
	}
	return append(dst, "}}"...), nil
}

// encodeFields returns the members of the object that fields encodes as.
func encodeFields(fields any) ([]byte, error) {
	var b []byte
	var err error
	switch f := fields.(type) {
	case nil:
		return nil, nil
	case protocol.Appender:
		b, err = f.AppendJSON(nil)
	case json.RawMessage:
		b = f
	default:
		var buf bytes.Buffer
		enc := json.NewEncoder(&buf)
		enc.SetEscapeHTML(false)
		err = enc.Encode(fields)
		b = buf.Bytes()
	}
	if err != nil {
		return nil, err
	}
	if !protocol.IsObject(b) {
		return nil, fmt.Errorf("the fields of a control request must be a JSON object")
	}
	b = bytes.TrimSpace(b)
	return bytes.TrimSpace(b[1 : len(b)-1]), nil
}

// Notify sends a JSON-RPC notification to the CLI's MCP client for one of our servers. It waits for no acknowledgement,
// only for the pipe.
func (c *Conn) Notify(server, method string, params protocol.Appender) error {
	n := &protocol.Request{Method: method}
	if params != nil {
		b, err := params.AppendJSON(nil)
		if err != nil {
			return fmt.Errorf("notify %s: %w", method, err)
		}
		n.Params = b
	}
	members := protocol.AppendString([]byte(`"server_name":`), server)
	members, err := n.AppendJSON(append(members, `,"message":`...))
	if err != nil {
		return fmt.Errorf("notify %s: %w", method, err)
	}
	c.mu.Lock()
	id := c.nextID()
	c.mu.Unlock()
	return c.write(&outgoing{id, "mcp_message", members})
}

// Prompt writes a user line with a new uuid and returns the uuid. It does not wait for the turn.
func (c *Conn) Prompt(text string) (uuid string, err error) {
	uuid = NewUUID()
	return uuid, c.PromptAs(uuid, text)
}

// PromptAs writes a user line under a uuid of the caller's, who may so await its echo before it is written.
func (c *Conn) PromptAs(uuid, text string) error { return c.write(&prompt{uuid, text}) }

// write writes a line of ours. After a failed write the error is the one that broke the connection.
func (c *Conn) write(v protocol.Appender) error {
	err := c.out.WriteJSON(v)
	if err != nil {
		if broken := c.brokenBy(); broken != nil {
			return broken
		}
	}
	return err
}

type prompt struct{ uuid, text string }

// AppendJSON implements [protocol.Appender].
func (p *prompt) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"type":"user","message":{"role":"user","content":`...)
	dst = protocol.AppendString(dst, p.text)
	dst = append(dst, `},"parent_tool_use_id":null,"session_id":"default","uuid":`...)
	dst = protocol.AppendString(dst, p.uuid)
	return append(dst, '}'), nil
}

// NewUUID returns a random UUID (version 4).
func NewUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}
