package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/luatools/luatools/protocol"
)

// output keeps what a server writes.
type output struct {
	mu  sync.Mutex
	b   bytes.Buffer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	return o.b.Write(p)
}

// take returns the lines written since the last take.
func (o *output) take() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	text := strings.TrimSuffix(o.b.String(), "\n")
	o.b.Reset()
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// connection is a ServeLines that runs in a synctest bubble.
type connection struct {
	t      *testing.T
	in     *io.PipeWriter
	out    output
	notify Notifier
	cancel context.CancelCauseFunc
	ended  chan error
}

func connect(t *testing.T, c Catalog, o LinesOptions) *connection {
	ctx, cancel := context.WithCancelCause(t.Context())
	r, w := io.Pipe()
	conn := &connection{t: t, in: w, cancel: cancel, ended: make(chan error, 1)}
	o.Attach = func(n Notifier) { conn.notify = n }
	s := NewServer(testInfo, c, Options{})
	go func() { conn.ended <- s.ServeLines(ctx, r, &conn.out, o) }()
	synctest.Wait()
	return conn
}

// send writes a line and returns what is answered once all is quiet.
func (c *connection) send(line string) []string {
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
	synctest.Wait()
	return c.out.take()
}

// end waits for ServeLines and returns what it wrote meanwhile, how long it took, and its error.
func (c *connection) end() (lines []string, took time.Duration, err error) {
	began := time.Now()
	err = <-c.ended
	return c.out.take(), time.Since(began), err
}

func call(id, tool string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `"}}`
}

func TestServeLinesEndsWithItsInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &shelf{}, LinesOptions{})
		c.in.Close()
		if lines, took, err := c.end(); err != nil || lines != nil || took != 0 {
			t.Errorf("ended with %v after %v, having written %q", err, took, lines)
		}
	})
}

func TestAtTheEndOfInput(t *testing.T) {
	t.Run("a call that ends within 2 s is answered", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, slow(1999*time.Millisecond), LinesOptions{})
			c.send(call("1", "x"))
			c.in.Close()
			lines, took, err := c.end()
			if want := `[{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}]`; err != nil || fmt.Sprint(lines) != want || took != 1999*time.Millisecond {
				t.Errorf("ended with %v after %v, having written %q", err, took, lines)
			}
		})
	})
	t.Run("a call that runs on is cancelled, and says so", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, &shelf{}, LinesOptions{})
			c.send(call("1", "wait"))
			c.in.Close()
			lines, took, err := c.end()
			if want := `[{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"the client has closed its end"}],"isError":true}}]`; err != nil || fmt.Sprint(lines) != want || took != 2*time.Second {
				t.Errorf("ended with %v after %v, having written %q", err, took, lines)
			}
		})
	})
	t.Run("a call that cannot be stopped is named in an error", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, slow(time.Minute), LinesOptions{})
			c.send(call("1", "x"))
			c.in.Close()
			_, took, err := c.end()
			if err == nil || err.Error() != "calls still running 5s after they were cancelled: 1" || took != 7*time.Second {
				t.Errorf("ended with %v after %v", err, took)
			}
			time.Sleep(time.Minute) // a bubble waits for all its goroutines
		})
	})
	t.Run("a last line without newline counts when it is whole", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, &shelf{}, LinesOptions{})
			io.WriteString(c.in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
			c.in.Close()
			if lines, _, err := c.end(); err != nil || fmt.Sprint(lines) != `[{"jsonrpc":"2.0","id":1,"result":{}}]` {
				t.Errorf("ended with %v, having written %q", err, lines)
			}
		})
	})
	t.Run("a last line that broke off is dropped", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, &shelf{}, LinesOptions{})
			io.WriteString(c.in, `{"jsonrpc":"2.0","id":1,"method":"pi`)
			c.in.Close()
			if lines, _, err := c.end(); err != nil || lines != nil {
				t.Errorf("ended with %v, having written %q", err, lines)
			}
		})
	})
}

// slow is a Catalog whose calls take their time, whatever their context says.
type slow time.Duration

func (s slow) ToolList() json.RawMessage { return nil }
func (s slow) CallTool(context.Context, *CallToolParams) (*CallToolResult, error) {
	time.Sleep(time.Duration(s))
	return TextResult("done"), nil
}

func TestACancelledCallIsNotAnswered(t *testing.T) {
	cancelled := func(id string) string {
		return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"enough"}}`
	}
	t.Run("while it runs", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, &shelf{}, LinesOptions{})
			got := append(c.send(call(`"a"`, "wait")), c.send(cancelled(`"a"`))...)
			got = append(got, c.send(cancelled("99"))...)
			c.in.Close()
			if lines, took, err := c.end(); err != nil || len(got)+len(lines) != 0 || took != 0 {
				t.Errorf("ended with %v after %v, having written %q, %q", err, took, got, lines)
			}
		})
	})
	t.Run("when the cancel comes in the same breath", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, &shelf{}, LinesOptions{})
			for i := range 100 {
				id := fmt.Sprint(i)
				if got := c.send(call(id, "wait") + "\n" + cancelled(id)); got != nil {
					t.Fatalf("written: %q", got)
				}
			}
			c.in.Close()
			if lines, took, err := c.end(); err != nil || lines != nil || took != 0 {
				t.Errorf("ended with %v after %v, having written %q", err, took, lines)
			}
		})
	})
	t.Run("and others run on", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, slow(time.Second), LinesOptions{})
			c.send(call("1", "x"))
			c.send(call("2", "x"))
			c.send(cancelled("1"))
			time.Sleep(2 * time.Second)
			if got := fmt.Sprint(c.out.take()); !strings.Contains(got, `"id":2,`) || strings.Contains(got, `"id":1,`) {
				t.Errorf("written: %s", got)
			}
			c.in.Close()
			c.end()
		})
	})
}

func TestServeLinesEndsWithItsContext(t *testing.T) {
	stop := errors.New("shut down")
	t.Run("calls are cancelled and a closable reader is closed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, &shelf{}, LinesOptions{})
			c.send(call("1", "wait"))
			c.cancel(stop)
			lines, took, err := c.end()
			if err != stop || took != 0 || len(lines) != 1 || !strings.Contains(lines[0], "shut down") {
				t.Errorf("ended with %v after %v, having written %q", err, took, lines)
			}
			if _, err := io.WriteString(c.in, "x"); err != io.ErrClosedPipe {
				t.Errorf("the reader is open: %v", err)
			}
		})
	})
	t.Run("a reader with deadlines is not closed", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ours, theirs := net.Pipe()
			defer theirs.Close()
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan error)
			go func() {
				ended <- NewServer(testInfo, &shelf{}, Options{}).ServeLines(ctx, ours, io.Discard, LinesOptions{})
			}()
			synctest.Wait()
			cancel(stop)
			if err := <-ended; err != stop {
				t.Errorf("error = %v, want %v", err, stop)
			}
			ours.SetReadDeadline(time.Time{})
			go theirs.Write([]byte("x"))
			if n, err := ours.Read(make([]byte, 1)); n != 1 || err != nil {
				t.Errorf("the reader is gone: %v", err)
			}
		})
	})
	t.Run("a read that nothing interrupts is left, and its lines are dropped", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r, w := io.Pipe()
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan error)
			var out output
			go func() {
				ended <- NewServer(testInfo, &shelf{}, Options{}).ServeLines(ctx, struct{ io.Reader }{r}, &out, LinesOptions{})
			}()
			synctest.Wait()
			cancel(stop)
			if err := <-ended; err != stop {
				t.Errorf("error = %v, want %v", err, stop)
			}
			io.WriteString(w, call("1", "greet")+"\n")
			w.Close()
			synctest.Wait()
			if got := out.take(); got != nil {
				t.Errorf("written: %q", got)
			}
		})
	})
	t.Run("during the grace at the end of input too", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, &shelf{}, LinesOptions{})
			c.send(call("1", "wait"))
			c.in.Close()
			time.Sleep(time.Second)
			c.cancel(stop)
			if _, took, err := c.end(); err != stop || took != 0 {
				t.Errorf("ended with %v after %v", err, took)
			}
		})
	})
}

func TestServeLinesEndsWithABrokenStream(t *testing.T) {
	broken := errors.New("broken pipe")
	t.Run("a write that fails ends it", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, &shelf{}, LinesOptions{})
			c.send(call("1", "wait"))
			c.out.err = broken
			c.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
			if _, took, err := c.end(); !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "write to the MCP client: ") || took != 0 {
				t.Errorf("ended with %v after %v", err, took)
			}
		})
	})
	t.Run("a read that fails ends it, after the grace of the calls", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, slow(time.Second), LinesOptions{})
			c.send(call("1", "x"))
			c.in.CloseWithError(broken)
			lines, took, err := c.end()
			if !errors.Is(err, broken) || !strings.HasPrefix(err.Error(), "read from the MCP client: ") || took != time.Second || len(lines) != 1 {
				t.Errorf("ended with %v after %v, having written %q", err, took, lines)
			}
		})
	})
}

// big is a Catalog whose answers no pipe holds. One of the tool "report" tells of its progress until that fails.
type big struct{}

func (big) ToolList() json.RawMessage { return nil }
func (big) CallTool(ctx context.Context, p *CallToolParams) (*CallToolResult, error) {
	for p.Name == "report" {
		if err := NotifierFrom(ctx).Notify(MethodProgress, protocol.Raw(`{"progressToken":1,"progress":1}`)); err != nil {
			return nil, err
		}
	}
	return TextResult(strings.Repeat("x", 1<<20)), nil
}

func TestAClientThatDoesNotRead(t *testing.T) {
	stop := errors.New("shut down")
	for _, tt := range []struct {
		name  string
		calls string
		end   func(in *io.PipeWriter, cancel context.CancelCauseFunc)
		lost  int
		took  time.Duration
		cause error
	}{
		{"does not hold the end of input", call("1", "x"), func(in *io.PipeWriter, _ context.CancelCauseFunc) { in.Close() }, 1, endGrace + writeGrace, nil},
		{"nor do many answers", call("1", "x") + "\n" + call("2", "x") + "\n" + call("3", "x"), func(in *io.PipeWriter, _ context.CancelCauseFunc) { in.Close() }, 3, endGrace + writeGrace, nil},
		{"nor do notices", call("1", "report"), func(in *io.PipeWriter, _ context.CancelCauseFunc) { in.Close() }, 1, endGrace + writeGrace, nil},
		{"does not hold the context", call("1", "x"), func(_ *io.PipeWriter, cancel context.CancelCauseFunc) { cancel(stop) }, 1, haltGrace, stop},
		{"nor in the grace after the end of input", call("1", "x"), func(in *io.PipeWriter, cancel context.CancelCauseFunc) {
			in.Close()
			time.Sleep(time.Second)
			cancel(stop)
		}, 1, time.Second + haltGrace, stop},
		{"nor when all is cancelled already", call("1", "x"), func(in *io.PipeWriter, cancel context.CancelCauseFunc) {
			in.Close()
			time.Sleep(endGrace + writeGrace/2)
			cancel(stop)
		}, 1, endGrace + writeGrace/2, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				inR, inW := io.Pipe()
				outR, outW := io.Pipe() // blocks at once, and has no deadlines
				ctx, cancel := context.WithCancelCause(t.Context())
				ended := make(chan error, 1)
				var notify Notifier
				o := LinesOptions{Attach: func(n Notifier) { notify = n }}
				go func() { ended <- NewServer(testInfo, big{}, Options{}).ServeLines(ctx, inR, outW, o) }()
				io.WriteString(inW, tt.calls+"\n")
				synctest.Wait()
				began := time.Now()
				go tt.end(inW, cancel)
				err := <-ended
				if took := time.Since(began); took < tt.took || took > tt.took+haltGrace {
					t.Errorf("ended after %v, want %v", took, tt.took)
				}
				want := fmt.Sprintf("write to the MCP client: the MCP client does not read; messages lost: %d", tt.lost)
				if !errors.Is(err, ErrUnread) || !strings.HasSuffix(err.Error(), want) || tt.cause != nil && !errors.Is(err, tt.cause) {
					t.Errorf("error = %v, want %s, and %v", err, want, tt.cause)
				}
				if err := notify.Notify(MethodListChanged, nil); err != ErrEnded {
					t.Errorf("a notice after the end: %v, want %v", err, ErrEnded)
				}
				outR.Close() // a bubble waits for all its goroutines
			})
		})
	}
	t.Run("but reads slowly gets all answers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			inR, inW := io.Pipe()
			outR, outW := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				ended <- NewServer(testInfo, big{}, Options{}).ServeLines(t.Context(), inR, outW, LinesOptions{})
			}()
			for i := range 8 {
				io.WriteString(inW, call(fmt.Sprint(i), "x")+"\n")
			}
			inW.Close()
			answers := protocol.NewLineReader(outR, 0)
			for i := range 8 {
				time.Sleep(writeGrace / 2)
				if _, err := answers.Next(); err != nil {
					t.Fatalf("answer %d: %v", i, err)
				}
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
	})
}

func TestAPipeThatNobodyReads(t *testing.T) {
	// A pipe of this process has deadlines, so that the blocked write ends with the connection.
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer outR.Close()
	defer outW.Close()
	ctx, cancel := context.WithCancel(t.Context())
	inR, inW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- NewServer(testInfo, big{}, Options{}).ServeLines(ctx, inR, outW, LinesOptions{})
	}()
	io.WriteString(inW, call("1", "x")+"\n")
	if _, err := io.ReadFull(outR, make([]byte, 10)); err != nil { // so the write has begun
		t.Fatal(err)
	}
	began := time.Now()
	cancel()
	err = <-ended
	if !errors.Is(err, ErrUnread) || !errors.Is(err, context.Canceled) || time.Since(began) > 2*time.Second {
		t.Errorf("ended with %v after %v", err, time.Since(began))
	}
	if _, err := outW.Write([]byte("x")); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("the write was left behind: %v", err)
	}
}

func Test200CallsAtOnceAreAllAnswered(t *testing.T) {
	// The client writes all of them before it reads anything, so a server that writes from its reader would hang.
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- NewServer(testInfo, &shelf{}, Options{}).ServeLines(t.Context(), inR, outW, LinesOptions{})
	}()
	for i := range 200 {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"n":%d}}}`+"\n", i, i)
		if i%50 == 49 {
			line += "no JSON\n" // is answered too
		}
		if _, err := io.WriteString(inW, line); err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]bool{}
	lines := protocol.NewLineReader(outR, 0)
	for range 204 {
		line, err := lines.Next()
		if err != nil {
			t.Fatal(err)
		}
		seen[string(line)] = true
	}
	for i := range 200 {
		want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"{\"n\":%d}"}]}}`, i, i)
		if !seen[want] {
			t.Errorf("call %d has no answer", i)
		}
	}
	inW.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestLongLines(t *testing.T) {
	t.Run("above the limit", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, &shelf{}, LinesOptions{MaxLine: 100})
			want := `[{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: a line is longer than 100 bytes (MaxLine)"}}]`
			if got := fmt.Sprint(c.send(strings.Repeat("x", 1000))); got != want {
				t.Errorf("answer = %s", got)
			}
			if got := fmt.Sprint(c.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)); got != `[{"jsonrpc":"2.0","id":1,"result":{}}]` {
				t.Errorf("the next line is answered %s", got)
			}
			c.in.Close()
			c.end()
		})
	})
	t.Run("of 30 MB", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := connect(t, &shelf{}, LinesOptions{})
			text := strings.Repeat("0123456789", 3<<20)
			got := c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"x":"` + text + `"}}}`)
			if len(got) != 1 || !strings.Contains(got[0], text) {
				t.Errorf("%d answers", len(got))
			}
			c.in.Close()
			c.end()
		})
	})
}

func TestNotifier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := connect(t, &shelf{}, LinesOptions{})
		if err := c.notify.Notify(MethodListChanged, nil); err != nil || c.out.take() != nil {
			t.Errorf("a notice was sent to a client that has said nothing: %v", err)
		}
		c.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if err := c.notify.Notify(MethodListChanged, nil); err != nil {
			t.Error(err)
		}
		if got := fmt.Sprint(c.out.take()); got != `[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}]` {
			t.Errorf("notice = %s", got)
		}
		if err := c.notify.Notify(MethodProgress, &Progress{}); err == nil {
			t.Error("params that do not encode gave no error")
		}
		c.in.Close()
		c.end()
		if err := c.notify.Notify(MethodListChanged, nil); err != ErrEnded || c.out.take() != nil {
			t.Errorf("after the end: %v, want %v", err, ErrEnded)
		}
	})
	if NotifierFrom(t.Context()) != nil {
		t.Error("a context without a Notifier has one")
	}
}

func FuzzServeLines(f *testing.F) {
	for _, s := range []string{
		"{}\n[]\n\nnull\n", `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\r\n" + `{"jsonrpc":"2.0","id":1,"meth`,
		`{"jsonrpc":"2.0","id":1,"result":{},"error":1}` + "\n" + call("1", "greet") + "\n" + call(`"a"`, "break") + "\n",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}` + "\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if bytes.Contains(in, []byte("wait")) || bytes.Contains(in, []byte(`\u`)) {
			return // tools that end only with their context
		}
		var out output
		if err := NewServer(testInfo, &shelf{}, Options{}).ServeLines(t.Context(), bytes.NewReader(in), &out, LinesOptions{MaxLine: 1000}); err != nil {
			t.Fatal(err)
		}
		for _, line := range out.take() {
			if req, answer, bad := protocol.Decode([]byte(line), false); bad != nil || answer == nil {
				t.Fatalf("we wrote %q: %v, %v", line, req, bad)
			}
		}
	})
}

func BenchmarkServeLines(b *testing.B) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ended := make(chan error, 1)
	s := NewServer(testInfo, fixed{TextResult("1234.5 + 42 = 1276.5")}, Options{})
	go func() { ended <- s.ServeLines(b.Context(), inR, outW, LinesOptions{}) }()
	line := []byte(`{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"add","arguments":{"a":1234.5,"b":42}}}` + "\n")
	answers := protocol.NewLineReader(outR, 0)
	b.ReportAllocs()
	for b.Loop() {
		inW.Write(line)
		if _, err := answers.Next(); err != nil {
			b.Fatal(err)
		}
	}
	inW.Close()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
}
