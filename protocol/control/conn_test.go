package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/luatools/luatools/protocol"
)

// wire is the CLI's end of a Conn that serves: what the test writes and reads.
type wire struct {
	*Conn
	h      *demo
	in     *io.PipeWriter // to the Conn
	out    *io.PipeReader // from it
	served chan error
}

// connect starts a Conn on pipes. Nothing reads out unless the test does.
func connect(t *testing.T, ctx context.Context, o Options) *wire {
	t.Helper()
	r, in := io.Pipe()
	out, w := io.Pipe()
	h := newDemo()
	c := &wire{NewConn(r, w, h, o), h, in, out, make(chan error, 1)}
	go func() { c.served <- c.Serve(ctx) }()
	t.Cleanup(func() { in.Close(); out.Close() })
	return c
}

func (w *wire) discard() { go io.Copy(io.Discard, w.out) }

func (w *wire) say(line string) { io.WriteString(w.in, line+"\n") }

const hold = `{"type":"control_request","request_id":"1","request":{"subtype":"mcp_message","server_name":"demo_tools","message":{"method":"tools/call","params":{"name":"hold"},"jsonrpc":"2.0","id":1}}}`

func TestARequestThatIsNotAnsweredTimesOut(t *testing.T) {
	for _, tt := range []struct {
		name  string
		limit time.Duration
		want  time.Duration
	}{
		{"after 60 seconds unless told otherwise", 0, 60 * time.Second},
		{"after the time of the options", 5 * time.Second, 5 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, t.Context(), Options{RequestTimeout: tt.limit})
				c.discard()
				start := time.Now()
				_, err := c.Request(t.Context(), "get_settings", nil)
				if !errors.Is(err, ErrTimeout) || time.Since(start) != tt.want {
					t.Errorf("Request = %v after %s, want ErrTimeout after %s", err, time.Since(start), tt.want)
				}
				// An answer that comes too late is dropped.
				c.say(`{"type":"control_response","response":{"subtype":"success","request_id":"lt-1"}}`)
				c.in.Close()
				if err := <-c.served; err != nil {
					t.Errorf("Serve = %v", err)
				}
			})
		})
	}
}

func TestARequestEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, t.Context(), Options{})
		c.discard()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.Interrupt(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Interrupt = %v, want the context's error", err)
		}
	})
}

func TestAllRequestsFailAtOnceWhenTheCLIEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, t.Context(), Options{})
		c.discard()
		start := time.Now()
		errs := make(chan error, 20)
		for range 20 {
			go func() { errs <- c.Interrupt(t.Context()) }()
		}
		synctest.Wait()
		c.in.Close()
		for range 20 {
			if err := <-errs; !errors.Is(err, ErrClosed) {
				t.Errorf("Interrupt = %v, want ErrClosed", err)
			}
		}
		if err := c.Interrupt(t.Context()); !errors.Is(err, ErrClosed) {
			t.Errorf("Interrupt after the end = %v, want ErrClosed", err)
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("it took %s", d)
		}
	})
}

func TestAnAnswerJustBeforeTheEndCounts(t *testing.T) {
	for range 50 {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, t.Context(), Options{})
			c.discard()
			got := make(chan error, 1)
			go func() { got <- c.Interrupt(t.Context()) }()
			synctest.Wait()
			c.say(`{"type":"control_response","response":{"subtype":"success","request_id":"lt-1"}}`)
			c.in.Close()
			if err := <-got; err != nil {
				t.Fatalf("Interrupt = %v", err)
			}
		})
	}
}

func TestABrokenWriteCancelsWhatRunsAndReadingGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, t.Context(), Options{})
		c.say(hold)
		c.out.CloseWithError(os.ErrPermission) // the CLI closed its stdin
		if err := c.Interrupt(t.Context()); !errors.Is(err, ErrClosed) || !errors.Is(err, os.ErrPermission) {
			t.Errorf("Interrupt = %v, want ErrClosed and the cause", err)
		}
		if cause := <-c.h.causes; !errors.Is(cause, ErrClosed) {
			t.Errorf("the call's context ended with %v, want ErrClosed", cause)
		}
		select {
		case <-c.Broken():
		default:
			t.Error("Broken is open")
		}
		c.say(`{"type":"result","subtype":"error_during_execution"}`)
		c.in.Close()
		if err := <-c.served; !errors.Is(err, os.ErrPermission) {
			t.Errorf("Serve = %v, want the error of the write", err)
		}
		if len(c.h.messages) != 1 {
			t.Errorf("%d messages, want the one after the broken write", len(c.h.messages))
		}
		if len(c.h.written) != 0 {
			t.Errorf("Written was told of %v", c.h.written)
		}
	})
}

func TestWhatWeClosedOurselvesIsNoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, t.Context(), Options{})
		c.out.CloseWithError(os.ErrClosed) // as a file says that was closed on this side
		c.say(`{"type":"control_request","request_id":"1","request":{"subtype":"late"}}`)
		c.in.Close()
		if err := <-c.served; err != nil {
			t.Errorf("Serve = %v", err)
		}
	})
}

func TestTheEndOfTheContextCancelsWhatRunsAndReadingGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		c := connect(t, ctx, Options{})
		c.discard()
		c.say(hold)
		synctest.Wait()
		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if err := c.Idle(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Idle with a call in work = %v, want the context's error", err)
		}
		why := errors.New("shutting down")
		cancel(why)
		if cause := <-c.h.causes; cause != why {
			t.Errorf("the call's context ended with %v, want %v", cause, why)
		}
		if err := c.Idle(t.Context()); err != nil {
			t.Errorf("Idle = %v", err)
		}
		c.say(strings.Replace(hold, `"1"`, `"2"`, 1))
		if cause := <-c.h.causes; cause != why {
			t.Errorf("the context of a later call ended with %v, want %v", cause, why)
		}
		c.say(`{"type":"system","subtype":"status"}`)
		c.in.Close()
		if err := <-c.served; err != nil || len(c.h.messages) != 1 {
			t.Errorf("Serve = %v with %d messages, want nil with 1", err, len(c.h.messages))
		}
	})
}

func TestServeWaitsForWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, in := io.Pipe()
		slow := &slowHandler{demo: newDemo(), d: time.Minute}
		c := NewConn(r, io.Discard, slow, Options{})
		served := make(chan error, 1)
		start := time.Now()
		go func() { served <- c.Serve(t.Context()) }()
		io.WriteString(in, `{"type":"control_request","request_id":"1","request":{"subtype":"hook_callback","callback_id":"x"}}`+"\n")
		in.Close()
		if err := <-served; err != nil || time.Since(start) != time.Minute {
			t.Errorf("Serve = %v after %s, want nil after the hook's minute", err, time.Since(start))
		}
	})
}

// slowHandler has hooks that do not listen to their context.
type slowHandler struct {
	*demo
	d time.Duration
}

func (s *slowHandler) Hook(context.Context, *HookRequest) (*HookResult, error) {
	time.Sleep(s.d)
	return nil, nil
}

func TestTheCauseTellsWhoCancelled(t *testing.T) {
	for _, tt := range []struct {
		name, line string
		want       error
	}{
		{"a request that was withdrawn", `{"type":"control_cancel_request","request_id":"1"}`, context.Canceled},
		{"a call that was cancelled", `{"type":"control_request","request_id":"2","request":{"subtype":"mcp_message","server_name":"demo_tools","message":{"method":"notifications/cancelled","params":{"requestId":1}}}}`, ErrCancelled},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := connect(t, t.Context(), Options{})
				c.discard()
				// One write, so that the cancel is read before the call's goroutine has had a chance to run.
				io.WriteString(c.in, hold+"\n"+tt.line+"\n")
				if cause := <-c.h.causes; cause != tt.want {
					t.Errorf("cause %v, want %v", cause, tt.want)
				}
			})
		})
	}
}

func TestWrittenIsToldOfEveryAnsweredMCPMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, t.Context(), Options{})
		c.say(`{"type":"control_request","request_id":"1","request":{"subtype":"mcp_message","server_name":"demo_tools","message":{"method":"tools/list","id":1}}}`)
		synctest.Wait()
		if len(c.h.written) != 0 {
			t.Errorf("Written was told of %v before the answer was written", c.h.written)
		}
		c.discard()
		c.say(`{"type":"control_request","request_id":"2","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{}}}`)
		c.say(`{"type":"control_request","request_id":"3","request":{"subtype":"mcp_message","server_name":"demo_tools","message":{"method":"notifications/initialized"}}}`)
		synctest.Wait()
		if got, want := fmt.Sprint(c.h.written), "[demo_tools tools/list 1 demo_tools notifications/initialized ]"; got != want {
			t.Errorf("Written was told of %s, want %s", got, want)
		}
	})
}

func TestALineAboveTheLimitEndsTheSession(t *testing.T) {
	in := `{"type":"system"}` + "\n" + strings.Repeat("x", 200) + "\n" + `{"type":"system"}` + "\n"
	h := newDemo()
	err := NewConn(strings.NewReader(in), io.Discard, h, Options{MaxLine: 100}).Serve(t.Context())
	if _, ok := errors.AsType[*protocol.LineTooLongError](err); !ok || !strings.Contains(err.Error(), "MaxLine") {
		t.Errorf("Serve = %v, want an error that names the option MaxLine", err)
	}
	if len(h.messages) != 1 {
		t.Errorf("%d messages, want the one before the long line", len(h.messages))
	}
}

func TestALineOf30MBPassesAndIsAnswered(t *testing.T) {
	big := strings.Repeat("a", 30<<20)
	in := `{"type":"control_request","request_id":"1","request":{"subtype":"can_use_tool","tool_name":"mcp__demo_tools__greet","input":{"name":"` + big + `"}}}` + "\n"
	var out bytes.Buffer
	if err := serveAll(t, strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), big) {
		t.Errorf("an answer of %d bytes lacks the text", out.Len())
	}
}

// serveAll serves r to its end and waits for every answer before the end is seen.
func serveAll(t *testing.T, r io.Reader, w io.Writer) error {
	t.Helper()
	hold := &lateEOF{r: r}
	c := NewConn(hold, w, newDemo(), Options{})
	hold.wait = func() { _ = c.Idle(t.Context()) }
	return c.Serve(t.Context())
}

// lateEOF calls wait before it tells the end.
type lateEOF struct {
	r    io.Reader
	wait func()
}

func (l *lateEOF) Read(b []byte) (int, error) {
	n, err := l.r.Read(b)
	if err == io.EOF && n == 0 {
		l.wait()
	}
	return n, err
}

func TestLinesMayBeSplitAnywhere(t *testing.T) {
	in := "noise\n\n" + strings.Replace(hold, "hold", "greet", 1) + "\r\n" +
		`{"type":"control_request","request_id":"2","request":{"subtype":"make_coffee"}}` + "\n"
	for name, r := range map[string]io.Reader{
		"byte by byte": iotest.OneByteReader(strings.NewReader(in)),
		"in halves":    iotest.HalfReader(strings.NewReader(in)),
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if err := serveAll(t, r, &out); err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(out.String(), "\n"); n != 2 {
				t.Errorf("%d answers, want 2:\n%s", n, &out)
			}
		})
	}
}

func TestAnErrorOfTheReaderEndsServe(t *testing.T) {
	why := errors.New("cable cut")
	err := NewConn(iotest.ErrReader(why), io.Discard, newDemo(), Options{}).Serve(t.Context())
	if !errors.Is(err, why) {
		t.Errorf("Serve = %v, want %v", err, why)
	}
}

func TestTwoHundredCallsAtOnceEachGetOneAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, t.Context(), Options{})
		var out bytes.Buffer
		var copied sync.WaitGroup
		copied.Go(func() { io.Copy(&out, c.out) })
		const n = 200
		for i := range n {
			c.say(fmt.Sprintf(`{"type":"control_request","request_id":"r%d","request":{"subtype":"mcp_message","server_name":"demo_tools","message":{"method":"tools/call","params":{"name":"hold"},"id":%d}}}`, i, i))
		}
		synctest.Wait() // all of them run
		close(c.h.release)
		if err := c.Idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		c.out.Close()
		copied.Wait()
		for i := range n {
			if got := strings.Count(out.String(), fmt.Sprintf(`"request_id":"r%d","response":{"mcp_response":{"jsonrpc":"2.0","id":%d,"result"`, i, i)); got != 1 {
				t.Errorf("call %d has %d answers", i, got)
			}
		}
	})
}

func TestTraceShowsBothDirections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var seen []string
		c := connect(t, t.Context(), Options{Trace: func(out bool, line []byte) {
			mu.Lock()
			defer mu.Unlock()
			seen = append(seen, fmt.Sprint(out, " ", string(line)))
		}})
		c.discard()
		c.say("noise")
		synctest.Wait()
		if err := c.PromptAs("u1", "hi"); err != nil {
			t.Fatal(err)
		}
		want := `[false noise true {"type":"user","message":{"role":"user","content":"hi"},"parent_tool_use_id":null,"session_id":"default","uuid":"u1"}]`
		if got := fmt.Sprint(seen); got != want {
			t.Errorf("seen %s\nwant %s", got, want)
		}
	})
}

func TestPromptsHaveDifferentUUIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, t.Context(), Options{})
		c.discard()
		a, b := must[string](t)(c.Prompt("1")), must[string](t)(c.Prompt("2"))
		if a == b || len(a) != 36 || a[14] != '4' {
			t.Errorf("uuids %s and %s", a, b)
		}
	})
}

func TestInitializeRefusesWhatIsNoObject(t *testing.T) {
	c := NewConn(strings.NewReader(""), io.Discard, newDemo(), Options{})
	for _, r := range []InitializeRequest{{Hooks: []byte("[]")}, {Agents: []byte("1")}, {More: []byte("{")}} {
		if _, err := c.Initialize(t.Context(), r); err == nil || !strings.HasPrefix(err.Error(), "initialize: ") {
			t.Errorf("Initialize(%+v) = %v", r, err)
		}
	}
}

func TestInitializeCarriesWhatIsSet(t *testing.T) {
	r := InitializeRequest{Servers: []string{`a"b`}, Agents: []byte(`{"critic":{}}`), More: []byte(`{"title":"x","skills":null}`)}
	got, err := r.fields()
	if want := `{"sdkMcpServers":["a\"b"],"agents":{"critic":{}},"title":"x","skills":null}`; err != nil || string(got) != want {
		t.Errorf("fields = %s, %v; want %s", got, err, want)
	}
}
