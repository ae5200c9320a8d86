package host

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/luatools/luatools/protocol/mcp"
)

// waiter is a Go tool whose calls wait until they are let go, and the order in which they began.
type waiter struct {
	mu    sync.Mutex
	began []string
	gates map[string]chan struct{}
}

func (w *waiter) tool() Tool {
	t := raw("wait", func(_ context.Context, args json.RawMessage) (*mcp.CallToolResult, error) {
		var in struct{ ID string }
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, err
		}
		gate := make(chan struct{})
		w.mu.Lock()
		w.began, w.gates[in.ID] = append(w.began, in.ID), gate
		w.mu.Unlock()
		<-gate
		return mcp.TextResult("done " + in.ID), nil
	})
	t.Definition.InputSchema = json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}`)
	return t
}

func (w *waiter) running() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.began, " ")
}

func (w *waiter) end(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.gates[id])
}

func TestCallsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &waiter{gates: map[string]chan struct{}{}}
		h := newHost(t, Options{Tools: []Tool{w.tool()}, Limits: Limits{Calls: 2, Queue: 3}, CallTimeout: time.Minute})
		c := client(h, &caller{})
		results := map[string]chan string{}
		start := func(ctx context.Context, id string) {
			results[id] = make(chan string, 1)
			go func(out chan string) {
				res, err := c.CallTool(ctx, &mcp.CallToolParams{Name: h.Tools()[0].Plain, Arguments: json.RawMessage(fmt.Sprintf(`{"id":%q}`, id))})
				if err != nil {
					out <- err.Error()
					return
				}
				out <- fmt.Sprintf("%v %s", res.IsError, res.Content[0].Text)
			}(results[id])
			synctest.Wait()
		}
		want := func(what, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		gone, cancel := context.WithCancel(t.Context())
		for _, id := range []string{"a", "b", "c"} {
			start(t.Context(), id)
		}
		start(gone, "d")
		start(t.Context(), "e")
		want("two run, three wait", w.running(), "a b")
		start(t.Context(), "f")
		want("one more is told to come again", <-results["f"], "true The server is busy: 2 calls run and 3 wait. The call did not run; try again in a moment. "+
			"(--limit calls=… and queue=…, or limits.calls and limits.queue in luatools.lua)")

		own := make(chan struct{})
		go func() {
			defer close(own)
			if _, err := h.Call(t.Context(), h.Tools()[0].Name, json.RawMessage(`{"id":"mine"}`)); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		want("a person's own call does not wait", w.running(), "a b mine")
		w.end("mine")
		<-own

		cancel()
		want("a call that waits can be cancelled", <-results["d"], "true The call was cancelled before it ran.")
		time.Sleep(59 * time.Second)
		w.end("b")
		synctest.Wait()
		want("the one that waited longest is next", w.running(), "a b mine c")
		w.end("a")
		synctest.Wait()
		want("and then the one behind it", w.running(), "a b mine c e")
		time.Sleep(59 * time.Second) // its time began when it began to run
		w.end("c")
		w.end("e")
		for _, id := range []string{"a", "b", "c", "e"} {
			want("the result", <-results[id], "false done "+id)
		}
		if h.slots.running != 0 || len(h.slots.waiting) != 0 {
			t.Errorf("%d run and %d wait at the end", h.slots.running, len(h.slots.waiting))
		}
	})
}

func TestTheDefaultsOfCallsInFlight(t *testing.T) {
	h := newHost(t, Options{})
	if h.slots.most != 64 || h.slots.queue != 1024 {
		t.Errorf("%d calls, queue of %d", h.slots.most, h.slots.queue)
	}
}
