package rehearsal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/luatools/luatools/protocol/control"
)

// question is one control request of ours.
type question struct {
	id    string
	about string          // "can_use_tool Bash", "tools/call greet of demo_tools"
	rpc   json.RawMessage // the JSON-RPC id inside an mcp_message; nil for a notification
	mcp   bool            // an mcp_message
	wait  chan reply      // one slot
	take  func(reply)     // takes a good answer before the next line is read; nil: nobody does

	answers   int
	withdrawn bool // by control_cancel_request: no answer is due
	silent    bool // never to be answered
	mild      bool // may be open when stdin is closed
	refused   bool // to be answered with an error
	stuck     bool // answered in a form that leaves the CLI waiting, even after stdin is closed
}

type reply struct {
	payload json.RawMessage // the inner response; of an mcp_message its JSON-RPC result
	rpcErr  *rpcError
	refusal error // a control error answer
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return e.Message }

var (
	errInputClosed = errors.New("stream closed")
	errInterrupted = errors.New("interrupted")
)

type controlRequest struct {
	Type      string `json:"type"`
	RequestID string `json:"request_id"`
	Request   any    `json:"request"`
}

// send writes a request of ours.
func (a *Agent) send(q *question, request any) {
	q.id, q.wait = control.NewUUID(), make(chan reply, 1)
	a.mu.Lock()
	a.asked[q.id] = q
	a.mu.Unlock()
	a.write(controlRequest{"control_request", q.id, request})
}

// await waits for the answer, the end of input, the end of the agent, or ctx (whose cause it returns).
func (a *Agent) await(ctx context.Context, q *question) (reply, error) {
	closed := a.closed
	for {
		var err error
		select {
		case r := <-q.wait:
			return r, r.refusal
		case <-closed:
			err, closed = errInputClosed, nil
			a.mu.Lock()
			if q.stuck {
				err = nil // wait on
			}
			a.mu.Unlock()
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-a.ctx.Done():
			err = a.ctx.Err()
		}
		select {
		case r := <-q.wait: // it came before the end
			return r, r.refusal
		default:
		}
		if err != nil {
			return reply{}, err
		}
	}
}

// withdraw takes a question back by control_cancel_request.
func (a *Agent) withdraw(q *question) {
	a.mu.Lock()
	open := q.answers == 0 && !q.withdrawn
	q.withdrawn = true
	a.mu.Unlock()
	if open {
		a.write(struct {
			Type      string `json:"type"`
			RequestID string `json:"request_id"`
		}{"control_cancel_request", q.id})
	}
}

// answered takes a control_response of the host and judges its form.
func (a *Agent) answered(l hostLine) {
	var r struct {
		Subtype   string          `json:"subtype"`
		RequestID string          `json:"request_id"`
		Response  json.RawMessage `json:"response"`
		Error     json.RawMessage `json:"error"`
	}
	if isObject(l.Response) {
		if err := json.Unmarshal(l.Response, &r); err != nil {
			a.problem("an answer does not decode: %v", err)
			return
		}
	}
	if r.RequestID == "" && l.RequestID != "" {
		a.problem("the answer to %s is flat: request_id must be inside response", a.leaveStuck(l.RequestID))
		return
	}
	q, ok := a.take(r.RequestID)
	if !ok {
		return
	}
	switch r.Subtype {
	case "error":
		var text string
		if json.Unmarshal(r.Error, &text) != nil {
			a.problem("the error of %s is no string: %s", q.about, r.Error)
		}
		q.deliver(reply{refusal: errors.New(text)})
	case "success":
		if q.refused {
			a.problem("%s was answered with a success", q.about)
		}
		if q.mcp {
			a.answeredMCP(q, r.Response)
			return
		}
		q.deliver(reply{payload: r.Response})
	default:
		a.leaveStuck(q.id)
		a.problem("the answer to %s has subtype %q", q.about, r.Subtype)
	}
}

// take counts an answer and returns its question when it is the first one that is due.
func (a *Agent) take(id string) (*question, bool) {
	a.mu.Lock()
	q := a.asked[id]
	if q == nil {
		a.mu.Unlock()
		a.problem("an answer has the id %q of no request", id)
		return nil, false
	}
	q.answers++
	n, silent := q.answers, q.silent
	a.mu.Unlock()
	switch {
	case silent:
		a.problem("%s was answered, though no answer is due", q.about)
	case n > 1:
		a.problem("%s was answered %d times", q.about, n)
	default:
		return q, true
	}
	return nil, false
}

// answeredMCP looks into the payload of an answer to mcp_message.
func (a *Agent) answeredMCP(q *question, payload json.RawMessage) {
	var p struct {
		Response json.RawMessage `json:"mcp_response"`
	}
	if !isObject(payload) || json.Unmarshal(payload, &p) != nil || !isObject(p.Response) {
		a.leaveStuck(q.id)
		a.problem("the answer to %s has no mcp_response", q.about)
		return
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(p.Response, &m); err != nil {
		a.problem("the mcp_response to %s does not decode: %v", q.about, err)
		return
	}
	if string(m["jsonrpc"]) != `"2.0"` {
		a.problem("the mcp_response to %s has no jsonrpc 2.0", q.about)
	}
	if q.rpc == nil {
		if id, ok := m["id"]; ok {
			a.problem("the acknowledgement of %s has an id: %s", q.about, id)
		}
		q.deliver(reply{})
		return
	}
	if !bytes.Equal(m["id"], q.rpc) {
		a.problem("the answer to %s has the JSON-RPC id %s instead of %s", q.about, orNothing(m["id"]), q.rpc)
		return // the CLI waits on
	}
	a.deliverRPC(q, m)
}

func (a *Agent) deliverRPC(q *question, m map[string]json.RawMessage) {
	raw, failed := m["error"]
	result, worked := m["result"]
	switch {
	case failed == worked:
		a.leaveStuck(q.id)
		a.problem("the mcp_response to %s must have either result or error", q.about)
	case failed:
		e := new(rpcError)
		if err := json.Unmarshal(raw, e); err != nil || e.Code == 0 {
			a.problem("the JSON-RPC error of %s has no code: %s", q.about, raw)
		}
		q.deliver(reply{rpcErr: e})
	case !isObject(result):
		a.leaveStuck(q.id)
		a.problem("the result of %s is no object: %.80s", q.about, result)
	default:
		q.deliver(reply{payload: result})
	}
}

// leaveStuck marks a request that can no longer be answered and says what it was.
func (a *Agent) leaveStuck(id string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	q := a.asked[id]
	if q == nil {
		return fmt.Sprintf("request %q", id)
	}
	q.stuck = true
	return q.about
}

// settle waits for the answers of questions that nothing else waits for, and lists those that do not come.
func (a *Agent) settle(loose []*question) {
	ctx, cancel := context.WithTimeout(a.ctx, looseTime)
	defer cancel()
	for _, q := range loose {
		if _, err := a.await(ctx, q); errors.Is(err, context.DeadlineExceeded) {
			a.problem("%s was never answered", q.about)
			a.mu.Lock()
			q.mild = true // said once
			a.mu.Unlock()
		}
	}
}

// looseTime is how long a turn waits at its end for answers that it does not need.
const looseTime = 5 * time.Second

func (q *question) deliver(r reply) {
	if q.take != nil && r.refusal == nil && r.rpcErr == nil {
		q.take(r)
	}
	select {
	case q.wait <- r:
	default:
	}
}

func orNothing(raw json.RawMessage) string {
	if raw == nil {
		return "nothing"
	}
	return string(raw)
}
