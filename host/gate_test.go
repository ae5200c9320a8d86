package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/mcp"
)

// record is an Observer that keeps what it saw.
type record struct {
	mu     sync.Mutex
	events []CallEvent
}

func (r *record) Call(e CallEvent) {
	r.mu.Lock()
	r.events = append(r.events, e)
	r.mu.Unlock()
}

func (r *record) all() []CallEvent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]CallEvent(nil), r.events...)
}

type addArgs struct {
	A float64 `json:"a" jsonschema:"first number"`
	B float64 `json:"b" jsonschema:"second number"`
}

func addTool() Tool {
	return NewTool("add", "Add two numbers together.", func(_ context.Context, in addArgs) (string, error) {
		return fmt.Sprintf("%g + %g = %g", in.A, in.B, in.A+in.B), nil
	})
}

// raw is a Go tool with a function of its own.
func raw(name string, call func(context.Context, json.RawMessage) (*mcp.CallToolResult, error)) Tool {
	return Tool{
		Definition: mcp.Tool{Name: name, Description: "A tool of the tests.", InputSchema: json.RawMessage(`{"type":"object","properties":{},"required":[]}`)},
		Call:       call,
	}
}

func dangerous(name string, ran *atomic.Int32) Tool {
	t := raw(name, func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) {
		ran.Add(1)
		return mcp.TextResult("done"), nil
	})
	t.Destructive = true
	return t
}

func newHost(t testing.TB, o Options) *Host {
	t.Helper()
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// client calls a view of h by plain names, as an MCP client would.
func client(h *Host, from *caller) mcp.Catalog { return &plainView{h: h, from: from} }

func callIt(t *testing.T, c mcp.Catalog, name, args string) *mcp.CallToolResult {
	t.Helper()
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func text(r *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		b.WriteString(c.Text)
	}
	return b.String()
}

func TestGateOrder(t *testing.T) {
	seen := &record{}
	h := newHost(t, Options{Tools: []Tool{addTool()}, Observer: seen})
	res := callIt(t, client(h, &caller{}), "go_add", `{"a":"1","b":2}`)
	if res.IsError || text(res) != "1 + 2 = 3" {
		t.Fatalf("got %+v", res)
	}
	events := seen.all()
	if len(events) != 2 || events[0].Done || !events[1].Done || events[0].CallID == "" || events[0].CallID != events[1].CallID {
		t.Fatalf("events %+v", events)
	}
	if e := events[1]; e.Tool != "go/add" || string(e.Input) != `{"a":1,"b":2}` || e.Result != res || e.Denied || e.Err != nil {
		t.Errorf("the observer saw %+v, want the normal form of the input", e)
	}
}

func TestArgumentsThatDoNotFit(t *testing.T) {
	seen := &record{}
	p := says(Answer{Allow: true})
	var ran atomic.Int32
	tool := addTool()
	tool.Destructive = true
	h := newHost(t, Options{Tools: []Tool{tool, dangerous("boom", &ran)}, Observer: seen})
	for _, tt := range []struct{ name, args, says string }{
		{"every violation is named", `{"a":"x"}`, "b"},
		{"the signature is told", `{"a":"x","b":1}`, "a: number"},
		{"unknown properties are refused", `{"a":1,"b":2,"c":3}`, "c"},
		{"other letter cases are unknown properties", `{"A":1,"b":2}`, "A"},
		{"what is no JSON", `{"a":`, "cannot be read"},
		{"what is too deep", `{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `,"b":1}`, "cannot be read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := callIt(t, client(h, asking(p)), "go_add", tt.args)
			if !res.IsError || !strings.Contains(text(res), tt.says) {
				t.Errorf("got %q, want it to name %q", text(res), tt.says)
			}
		})
	}
	if n := len(p.questions()); n != 0 {
		t.Errorf("a person was asked %d times about calls that cannot run", n)
	}
}

func TestUnknownTools(t *testing.T) {
	seen := &record{}
	h := newHost(t, Options{Tools: []Tool{addTool()}, Observer: seen})
	s := &Session{h: h}
	for _, tt := range []struct {
		name string
		view mcp.Catalog
		tool string
		says []string
	}{
		{"a misspelt plain name", client(h, &caller{}), "go_ad", []string{`unknown tool "go_ad"`, "go_add"}},
		{"the bare name is no plain name, and the right one is told", client(h, &caller{}), "add", []string{`unknown tool "add"`, "did you mean go_add?"}},
		{"the wire name is none on this channel", client(h, &caller{}), "mcp__go__add", []string{"unknown tool"}},
		{"a misspelt bare name", &serverView{s, "go"}, "adt", []string{`unknown tool "adt"`, "did you mean add?"}},
		{"a server that is gone", &serverView{s, "gone"}, "add", []string{`unknown tool "add"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, err := tt.view.CallTool(t.Context(), &mcp.CallToolParams{Name: tt.tool, Arguments: json.RawMessage("{}")})
			rpc, ok := errors.AsType[*protocol.Error](err)
			if !ok || res != nil || rpc.Code != protocol.CodeInvalidParams {
				t.Fatalf("got %v, %v", res, err)
			}
			for _, s := range tt.says {
				if !strings.Contains(rpc.Message, s) {
					t.Errorf("%q lacks %q", rpc.Message, s)
				}
			}
		})
	}
	for _, e := range seen.all() {
		if !e.Done || e.Err == nil {
			t.Errorf("event %+v", e)
		}
	}
}

func TestGatePolicy(t *testing.T) {
	for _, tt := range []struct {
		name   string
		rules  []Rule
		from   *caller
		runs   bool
		denied bool
		says   string
	}{
		{"headless, a destructive tool is denied and the flag named", nil, &caller{}, false, true, "--allow go/boom"},
		{"an allow rule lets it run", []Rule{{"go/*", Allow}}, &caller{}, true, false, ""},
		{"a yes lets it run", nil, asking(says(Answer{Allow: true})), true, false, ""},
		{"a no is for the model", nil, asking(says(Answer{Message: "no"})), false, true, "A human denied this: no."},
		{"a person's own call runs", nil, &caller{person: true}, true, false, ""},
		{"a person's own call under a deny rule does not", []Rule{{"go/boom", Deny}}, &caller{person: true}, false, true, "--deny go/boom"},
		{"a deny rule holds against a yes", []Rule{{"go/boom", Deny}}, asking(says(Answer{Allow: true})), false, true, "--deny go/boom"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ran atomic.Int32
			seen := &record{}
			h := newHost(t, Options{Tools: []Tool{dangerous("boom", &ran)}, Policy: Policy{tt.rules}, Observer: seen})
			res := callIt(t, client(h, tt.from), "go_boom", "{}")
			if (ran.Load() == 1) != tt.runs || res.IsError == tt.runs || !strings.Contains(text(res), tt.says) {
				t.Errorf("ran %d times: %+v", ran.Load(), res)
			}
			if e := seen.all(); len(e) != 2 || e[1].Denied != tt.denied {
				t.Errorf("events %+v", e)
			}
		})
	}
}

func TestYesToCanUseToolCountsOnceAtTheGate(t *testing.T) {
	var ran atomic.Int32
	h := newHost(t, Options{Tools: []Tool{dangerous("boom", &ran)}})
	p := says(Answer{Message: "asked again"})
	from := asking(p)
	call := func(id string) *mcp.CallToolResult {
		res, err := client(h, from).CallTool(t.Context(), &mcp.CallToolParams{Name: "go_boom", Arguments: json.RawMessage("{ }"), ToolUseID: id})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	from.approvals.remember("t1", ToolName{"go", "boom"}, json.RawMessage("{}"), verdict{allow: true})
	if res := call("t1"); res.IsError || len(p.questions()) != 0 {
		t.Fatalf("got %q after %d questions", text(res), len(p.questions()))
	}
	if res := call("t1"); !res.IsError || len(p.questions()) != 1 {
		t.Errorf("the yes counted twice: %q", text(res))
	}
	from.approvals.remember("t2", ToolName{"go", "boom"}, json.RawMessage("{}"), verdict{text: "A human denied this."})
	for range 2 {
		if res := call("t2"); text(res) != "A human denied this." || len(p.questions()) != 1 {
			t.Errorf("after a no: %q, %d questions", text(res), len(p.questions()))
		}
	}
}

func TestGoToolFailures(t *testing.T) {
	boom := errors.New("disk full")
	same := &mcp.CallToolResult{Content: []mcp.Content{{Type: "resource", Resource: json.RawMessage("{\n\"uri\":\"x:1\",\"text\":\"\"}")}}}
	for _, tt := range []struct {
		name string
		call func(context.Context, json.RawMessage) (*mcp.CallToolResult, error)
		says string
		err  string
	}{
		{"an error is for the model and the observer", func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) { return nil, boom }, "disk full", "disk full"},
		{"a panic is a fault, its text for the author only", func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) { panic("secret") }, "The tool has a fault", "panic: secret"},
		{"no result is an error", func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) { return nil, nil }, "no result", "no result"},
		{"broken JSON never reaches the wire", func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"a":`)}, nil
		}, "structuredContent", "structuredContent"},
		{"broken JSON in a block neither", func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{{Type: "text", Meta: json.RawMessage(`x`)}}}, nil
		}, "not JSON", "not JSON"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			seen := &record{}
			h := newHost(t, Options{Tools: []Tool{raw("f", tt.call)}, Observer: seen})
			res := callIt(t, client(h, &caller{}), "go_f", "{}")
			if !res.IsError || !strings.Contains(text(res), tt.says) || strings.Contains(text(res), "secret") {
				t.Errorf("the model reads %q", text(res))
			}
			if e := seen.all()[1]; e.Err == nil || !strings.Contains(e.Err.Error(), tt.err) {
				t.Errorf("the observer got %v", e.Err)
			}
		})
	}
	t.Run("line breaks in raw JSON are taken out of a copy", func(t *testing.T) {
		h := newHost(t, Options{Tools: []Tool{raw("f", func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) { return same, nil })}})
		res := callIt(t, client(h, &caller{}), "go_f", "{}")
		if got := string(res.Content[0].Resource); got != `{"uri":"x:1","text":""}` {
			t.Errorf("got %q", got)
		}
		if !strings.Contains(string(same.Content[0].Resource), "\n") {
			t.Error("the tool's own result was changed")
		}
	})
}

func TestCallTimeout(t *testing.T) {
	wait := func(ctx context.Context, _ json.RawMessage) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{Tools: []Tool{raw("wait", wait)}, CallTimeout: 3 * time.Second})
		began := time.Now()
		res := callIt(t, client(h, &caller{}), "go_wait", "{}")
		if took := time.Since(began); took != 3*time.Second || !strings.Contains(text(res), "longer than the 3s") {
			t.Errorf("%q after %s", text(res), took)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{Tools: []Tool{raw("wait", wait)}, CallTimeout: -1})
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		res, err := client(h, &caller{}).CallTool(ctx, &mcp.CallToolParams{Name: "go_wait", Arguments: json.RawMessage("{}")})
		if err != nil || !strings.Contains(text(res), "cancelled") {
			t.Errorf("got %v, %v", res, err)
		}
	})
}

func TestWaitForAPersonIsNoPartOfTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &person{answer: func(context.Context, Question) (Answer, error) {
			time.Sleep(time.Hour)
			return Answer{Allow: true}, nil
		}}
		var ran atomic.Int32
		seen := &record{}
		h := newHost(t, Options{Tools: []Tool{dangerous("boom", &ran)}, CallTimeout: time.Second, Observer: seen})
		if res := callIt(t, client(h, asking(p)), "go_boom", "{}"); res.IsError || ran.Load() != 1 {
			t.Errorf("got %q", text(res))
		}
		if d := seen.all()[1].Duration; d != 0 {
			t.Errorf("the call took %s", d)
		}
	})
}

// notices is a Notifier that keeps what it was told.
type notices struct {
	mu   sync.Mutex
	sent []string
}

func (n *notices) Notify(method string, params protocol.Appender) error {
	b, err := params.AppendJSON([]byte(method + " "))
	n.mu.Lock()
	n.sent = append(n.sent, string(b))
	n.mu.Unlock()
	return err
}

func TestProgress(t *testing.T) {
	var late context.Context
	tool := raw("count", func(ctx context.Context, _ json.RawMessage) (*mcp.CallToolResult, error) {
		late = ctx
		Progress(ctx, 0, 0, "begin")
		Progress(ctx, 1, 4, "")
		Progress(ctx, 1, 4, "the same")
		Progress(ctx, 0.5, 4, "back")
		Progress(ctx, 2.5, 4, `half "way"`)
		return mcp.TextResult("done"), nil
	})
	seen := &record{}
	h := newHost(t, Options{Tools: []Tool{tool}, Observer: seen})
	sent := &notices{}
	ctx := mcp.WithNotifier(t.Context(), sent)
	for _, token := range []json.RawMessage{json.RawMessage(`"tok"`), nil} {
		if _, err := client(h, &caller{}).CallTool(ctx, &mcp.CallToolParams{Name: "go_count", Arguments: json.RawMessage("{}"), ProgressToken: token}); err != nil {
			t.Fatal(err)
		}
		Progress(late, 3, 4, "after the result")
	}
	want := []string{
		`notifications/progress {"progressToken":"tok","progress":0,"message":"begin"}`,
		`notifications/progress {"progressToken":"tok","progress":1,"total":4}`,
		`notifications/progress {"progressToken":"tok","progress":2.5,"total":4,"message":"half \"way\""}`,
	}
	if strings.Join(sent.sent, "\n") != strings.Join(want, "\n") {
		t.Errorf("the client got\n%s", strings.Join(sent.sent, "\n"))
	}
	reports := 0
	for _, e := range seen.all() {
		if e.Progress != 0 || e.Message != "" {
			reports++
		}
	}
	if reports != 10 {
		t.Errorf("the observer got %d reports", reports)
	}
	Progress(context.Background(), 1, 2, "outside a call nothing happens")
}

func TestManyCallsAtOnce(t *testing.T) {
	var running, most atomic.Int32
	gate := make(chan struct{})
	tool := raw("meet", func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) {
		if n := running.Add(1); n == 200 {
			close(gate) // all are here at once
		}
		<-gate
		most.Add(1)
		return mcp.TextResult("ok"), nil
	})
	h := newHost(t, Options{Tools: []Tool{tool}, Observer: &record{}, Limits: Limits{Calls: 200}})
	c := client(h, &caller{})
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "go_meet", Arguments: json.RawMessage("{}")})
			if err != nil || res.IsError {
				t.Errorf("got %v, %v", res, err)
			}
		})
	}
	wg.Wait()
	if most.Load() != 200 {
		t.Errorf("%d calls ended", most.Load())
	}
}

func TestCallIDsDiffer(t *testing.T) {
	h, other := newHost(t, Options{}), newHost(t, Options{})
	seen := map[string]bool{}
	for range 1000 {
		for _, id := range []string{h.callID(), other.callID()} {
			if seen[id] {
				t.Fatalf("%s comes twice", id)
			}
			seen[id] = true
		}
	}
}

func doNothing(context.Context, json.RawMessage) (*mcp.CallToolResult, error) {
	return mcp.TextResult("ok"), nil
}
