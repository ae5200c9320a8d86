package rehearsal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// outcome is what one call gave the model.
type outcome struct {
	content json.RawMessage // of the tool_result block: a string or a list of blocks
	text    string
	isError bool
	host    any // tool_use_result
}

var errWithdrawn = errors.New("withdrawn")

// step writes one message and makes its calls; the outcomes are in the order of the calls.
func (t *turn) step(s Step) ([]outcome, error) {
	a := t.a
	if s.When != nil {
		select {
		case <-s.When:
		case <-t.ctx.Done():
			return nil, context.Cause(t.ctx)
		}
	}
	for _, l := range s.Lines {
		a.write(json.RawMessage(l))
	}
	message := a.nextMessage()
	if s.Text != "" {
		a.mu.Lock()
		t.text = strings.ReplaceAll(s.Text, "$RESULT", a.lastReply)
		a.mu.Unlock()
		a.write(a.assistant(message, textBlock{"text", t.text}))
	}
	if len(s.Calls) == 0 {
		return nil, nil
	}
	t.steps++
	uses := slices.Clone(s.Calls)
	for i := range uses {
		if uses[i].ID == "" {
			uses[i].ID = a.nextUse()
		}
		a.write(a.assistant(message, toolUseBlock{"tool_use", uses[i].ID, uses[i].Name, uses[i].input()}))
	}
	outcomes := t.makeCalls(uses)
	if err := t.ctx.Err(); err != nil {
		t.calls = true
		return outcomes, context.Cause(t.ctx)
	}
	t.join()
	if a.o.MaxTurns > 0 && t.steps >= a.o.MaxTurns {
		return outcomes, errMaxTurns
	}
	return outcomes, nil
}

func (a *Agent) nextUse() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.uses++
	return fmt.Sprintf("toolu_%04d", a.uses)
}

// makeCalls makes the calls of one message: neighbours that only read at the same time, the others one by one.
func (t *turn) makeCalls(uses []ToolUse) []outcome {
	outcomes := make([]outcome, len(uses))
	for start := 0; start < len(uses); {
		end := start + 1
		for end < len(uses) && (t.a.o.Parallel || t.reads(uses[start]) && t.reads(uses[end])) {
			end++
		}
		var group sync.WaitGroup
		for i := end - 1; i > start; i-- {
			group.Go(func() { outcomes[i] = t.call(uses[i]) })
		}
		outcomes[start] = t.call(uses[start])
		group.Wait()
		start = end
	}
	return outcomes
}

func (t *turn) reads(u ToolUse) bool {
	tool, ok := t.a.byWire(u.Name)
	return ok && tool.Annotations.ReadOnly
}

// call makes one call and writes its tool_result.
func (t *turn) call(u ToolUse) outcome {
	out := t.outcome(u)
	if t.ctx.Err() != nil {
		t.a.answerInterrupts() // before the result, as the CLI does
	}
	l := t.a.user([]any{toolResultBlock{"tool_result", u.ID, out.content, out.isError}})
	l.Result = out.host
	t.a.mu.Lock()
	t.a.lastReply = out.text
	t.failed = t.failed || out.isError
	t.a.mu.Unlock()
	t.a.write(l)
	return out
}

func (t *turn) outcome(u ToolUse) outcome {
	if t.ctx.Err() != nil {
		return t.interrupted()
	}
	target, isMCP := t.a.byWire(u.Name)
	if !isMCP && !slices.Contains(builtins, u.Name) {
		return failure("<tool_use_error>Error: No such tool available: " + u.Name + "</tool_use_error>")
	}
	input, refused := t.permitted(u, target)
	if refused != nil {
		return *refused
	}
	out := textOutcome("Rehearsed: " + u.Name + " was allowed and did not run.")
	if isMCP {
		out = t.callMCP(u, target, input)
	}
	if t.ctx.Err() == nil {
		t.hooks(afterCall(out), u, input, out.content)
	}
	return out
}

// afterCall is the hook event that follows a call.
func afterCall(out outcome) string {
	if out.isError {
		return "PostToolUseFailure"
	}
	return "PostToolUse"
}

type callParams struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Meta      callMeta        `json:"_meta"`
}

type callMeta struct {
	ToolUseID string `json:"claudecode/toolUseId"`
	Progress  int    `json:"progressToken"`
}

type cancelParams struct {
	RequestID json.RawMessage `json:"requestId"`
	Reason    string          `json:"reason"`
}

func (t *turn) callMCP(u ToolUse, target tool, input json.RawMessage) outcome {
	a := t.a
	c := a.connOf(target)
	if c == nil || a.isClosed() {
		return failure("Stream closed")
	}
	q := a.request(c, "tools/call", "tools/call "+target.Name+" of "+c.server, func(id int) any {
		return callParams{target.Name, input, callMeta{u.ID, id}}
	})
	ctx, end := a.until(t.ctx, u.Cancel)
	defer end()
	r, err := a.await(ctx, q)
	switch {
	case errors.Is(err, errInterrupted), errors.Is(err, errWithdrawn):
		ack := a.notify(c, "notifications/cancelled", cancelParams{q.rpc, "AbortError: This operation was aborted"})
		t.loosely(q, ack) // a cancelled call is answered all the same
		return t.interrupted()
	case errors.Is(err, errInputClosed):
		return failure("Stream closed")
	case err != nil:
		return failure(err.Error())
	case r.rpcErr != nil && a.o.Old:
		return failure(fmt.Sprintf("MCP error %d: %s", r.rpcErr.Code, r.rpcErr.Message))
	case r.rpcErr != nil:
		return failure(r.rpcErr.Message)
	}
	out, err := readResult(r.payload, a.o.Old)
	if err != nil {
		a.problem("the result of %s is none a CLI takes: %v", q.about, err)
	}
	return out
}

func (t *turn) loosely(qs ...*question) {
	t.a.mu.Lock()
	defer t.a.mu.Unlock()
	t.loose = append(t.loose, qs...)
}

// until derives a context that is cancelled with errWithdrawn when c can be received from.
func (a *Agent) until(ctx context.Context, c <-chan struct{}) (context.Context, func()) {
	if c == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	a.wg.Go(func() {
		select {
		case <-c:
			cancel(errWithdrawn)
		case <-ctx.Done():
		}
	})
	return ctx, func() { cancel(nil) }
}

func (t *turn) interrupted() outcome {
	if t.a.o.Old {
		return failure("MCP error -32001: AbortError: This operation was aborted")
	}
	return failure("The user doesn't want to proceed with this tool use. The tool use was rejected. STOP what you are doing and wait for the user to tell you how to proceed.")
}

func textOutcome(text string) outcome {
	return outcome{content: jsonString(text), text: text, host: text}
}

func failure(text string) outcome {
	o := textOutcome(text)
	o.isError, o.host = true, "Error: "+text
	return o
}

// content is one block of a tool's result, with what the CLI insists on.
type content struct {
	Type     string          `json:"type"`
	Text     *string         `json:"text"`
	Data     *string         `json:"data"`
	MIMEType string          `json:"mimeType"`
	URI      string          `json:"uri"`
	Name     string          `json:"name"`
	Resource json.RawMessage `json:"resource"`
}

// readResult turns a tools/call result into what the model sees. One bad block makes all of it an error.
func readResult(payload json.RawMessage, old bool) (outcome, error) {
	var r struct {
		Content    json.RawMessage `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	}
	if err := json.Unmarshal(payload, &r); err != nil {
		return failure("invalid result: " + err.Error()), err
	}
	var blocks []content
	if r.Content != nil {
		if err := json.Unmarshal(r.Content, &blocks); err != nil {
			return failure("invalid result: content: " + err.Error()), err
		}
	}
	var texts []string
	for i, b := range blocks {
		text, err := b.check()
		if err != nil {
			err = fmt.Errorf("content[%d]: %w", i, err)
			return failure("invalid result: " + err.Error()), err
		}
		texts = append(texts, text)
	}
	switch {
	case r.IsError && old && len(texts) > 0:
		return failure(texts[0]), nil
	case r.IsError:
		return failure(strings.Join(texts, "\n")), nil
	case r.Structured != nil && !isObject(r.Structured):
		err := errors.New("structuredContent is no object")
		return failure("invalid result: " + err.Error()), err
	case r.Structured != nil: // it replaces content for the model
		o := textOutcome(string(r.Structured))
		o.host = payload
		return o, nil
	case r.Content == nil:
		err := errors.New("content is missing")
		return failure("invalid result: " + err.Error()), err
	}
	return outcome{content: r.Content, text: strings.Join(texts, "\n"), host: r.Content}, nil
}

// check returns the text of a block for people, or what is wrong with it.
func (b *content) check() (string, error) {
	switch b.Type {
	case "text":
		if b.Text == nil {
			return "", errors.New("a text block without text")
		}
		return *b.Text, nil
	case "image", "audio":
		if b.Data == nil || b.MIMEType == "" {
			return "", fmt.Errorf("an %s block without data or mimeType", b.Type)
		}
		return fmt.Sprintf("[%s %s]", b.Type, b.MIMEType), nil
	case "resource_link":
		if b.URI == "" || b.Name == "" {
			return "", errors.New("a resource_link without uri or name")
		}
		return "[" + b.Name + "](" + b.URI + ")", nil
	case "resource":
		var res struct {
			URI  string  `json:"uri"`
			Text *string `json:"text"`
			Blob *string `json:"blob"`
		}
		if json.Unmarshal(b.Resource, &res) != nil || res.URI == "" || (res.Text == nil) == (res.Blob == nil) {
			return "", errors.New("a resource without uri, or without either text or blob")
		}
		if res.Text != nil {
			return *res.Text, nil
		}
		return "[resource " + res.URI + "]", nil
	}
	return "", fmt.Errorf("unknown type %q", b.Type)
}

func jsonString(s string) json.RawMessage {
	raw, _ := json.Marshal(s) // a string always encodes
	return raw
}

func rawOr(raw []byte, otherwise string) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage(otherwise)
	}
	return raw
}
