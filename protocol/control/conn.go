package control

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/luatools/luatools/protocol"
)

// DefaultRequestTimeout bounds every request of ours unless told otherwise.
const DefaultRequestTimeout = 60 * time.Second

// Options configures a Conn. Zero values are the defaults. The functions are called by several goroutines, Trace even at
// the same time for the two directions, and must not block.
type Options struct {
	MaxLine        int           // the longest line of the CLI, in bytes; protocol.DefaultMaxLine
	RequestTimeout time.Duration // of every request of ours; DefaultRequestTimeout

	// Noise gets the lines that were skipped, and why: debug output, broken JSON, requests that cannot be answered.
	// The line is only valid during the call. nil drops them.
	Noise func(line []byte, why string)

	// Trace gets every line in both directions, without its newline and only valid during the call.
	Trace func(out bool, line []byte)

	// Fault gets what went wrong on our side and is no error of any call: panics of the Handler with their stack. The CLI
	// has been told without the stack.
	Fault func(error)
}

// Conn is one NDJSON stream with a CLI. Its methods are safe for concurrent use; Serve is called once.
type Conn struct {
	lines *protocol.LineReader
	out   *protocol.LineWriter
	h     Handler
	o     Options

	calls  protocol.Running // JSON-RPC requests in work, by server and id
	work   sync.WaitGroup   // one for each request in work
	broken chan struct{}    // closed when a write has failed
	done   chan struct{}    // closed when no answer can come any more; err is set then

	lastServer struct{ raw, name string } // of the goroutine that reads

	mu          sync.Mutex
	inWork      map[string]*incoming // the CLI's requests, by request_id as it came
	pending     map[string]pending   // ours, by request_id
	last        int                  // the number in our last request_id
	initialized bool                 // an initialize was sent
	stop        func(error)          // cancels everything in work; nil before Serve
	idle        chan struct{}        // closed when nothing is in work; nil unless someone waits
	writeErr    error                // of the write that broke the connection
	err         error                // why the connection is done
}

// NewConn returns a connection that reads the CLI's stdout from r and writes its stdin to w. It starts nothing.
func NewConn(r io.Reader, w io.Writer, h Handler, o Options) *Conn {
	if o.RequestTimeout <= 0 {
		o.RequestTimeout = DefaultRequestTimeout
	}
	c := &Conn{
		lines: protocol.NewLineReader(r, o.MaxLine), h: h, o: o,
		broken: make(chan struct{}), done: make(chan struct{}),
		inWork: make(map[string]*incoming), pending: make(map[string]pending),
	}
	c.out = protocol.NewLineWriter(&tap{w, c})
	return c
}

// Serve reads until the CLI closes its end. Requests run concurrently, each in its own goroutine; Serve cancels those
// that are left at the end and returns when the last has ended. When ctx is done it cancels what runs, and what comes
// later at its start, and goes on reading to the end, so that a CLI that is shut down can write what it has to say.
//
// After a failed write nothing in work can be answered, so all of it is cancelled and [Conn.Broken] is closed; Serve
// reads on, because the CLI may have said why, and returns the error at the end. A line above the limit ends Serve at
// once: it may have been a request, and whoever sent it would wait for ever.
func (c *Conn) Serve(ctx context.Context) error {
	running, cancel := context.WithCancelCause(ctx)
	c.mu.Lock()
	c.stop = cancel
	if c.writeErr != nil {
		cancel(c.writeErr)
	}
	c.mu.Unlock()

	err := c.read(running)
	if errors.Is(err, os.ErrClosed) || ctx.Err() != nil && err == c.brokenBy() {
		err = nil // it is our side that closed
	}
	c.end(err) // first, so that what is cancelled now is not answered to nobody
	cancel(ErrClosed)
	c.work.Wait()
	return err
}

// Idle waits until no request of the CLI is in work, or ctx is done, whose error it returns then. After the context of
// Serve has been cancelled this is the wait for handlers that are slow to stop.
func (c *Conn) Idle(ctx context.Context) error {
	c.mu.Lock()
	if len(c.inWork) == 0 {
		c.mu.Unlock()
		return nil
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Broken is closed when a write has failed: nothing more can be said to the CLI.
func (c *Conn) Broken() <-chan struct{} { return c.broken }

// read takes line after line until the end of the stream, which is no error.
func (c *Conn) read(ctx context.Context) error {
	for {
		line, err := c.lines.Next()
		if err == io.EOF {
			c.mu.Lock()
			defer c.mu.Unlock()
			return c.writeErr
		}
		if err != nil {
			return fmt.Errorf("read from the CLI: %w", err)
		}
		if c.o.Trace != nil {
			c.o.Trace(false, line)
		}
		c.line(ctx, line)
	}
}

// line sorts one line. It keeps nothing of b, which the next read overwrites.
func (c *Conn) line(ctx context.Context, b []byte) {
	if len(bytes.TrimSpace(b)) == 0 {
		return
	}
	if !isObject(b) {
		c.noise(b, "not a JSON object")
		return
	}
	b = bytes.Clone(b)
	e, err := decode(b)
	if err != nil {
		why := "broken JSON: " + err.Error()
		if c.lines.Partial() {
			why = "cut off by the end of the stream"
		}
		c.noise(b, why)
		return
	}
	switch e.kind {
	case "control_request":
		c.request(ctx, e)
	case "control_response":
		c.answered(ctx, e)
	case "control_cancel_request":
		c.withdraw(e.id)
	case "keep_alive", "transcript_mirror":
	default:
		c.h.Message(Message{Type: e.kind, Subtype: e.subtype, Raw: b})
	}
}

func (c *Conn) noise(line []byte, why string) {
	if c.o.Noise != nil {
		c.o.Noise(line, why)
	}
}

// end fails everything that waits for the CLI.
func (c *Conn) end(err error) {
	if err == nil {
		err = ErrClosed
	}
	c.mu.Lock()
	c.err = err
	c.mu.Unlock()
	close(c.done)
}

// breakOff records the first failed write.
func (c *Conn) breakOff(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.writeErr != nil {
		return
	}
	c.writeErr = fmt.Errorf("%w: write: %w", ErrClosed, err)
	if c.stop != nil {
		c.stop(c.writeErr)
	}
	close(c.broken)
}

// tap is the writer below the LineWriter: it shows the lines to Trace and notices a write that fails.
type tap struct {
	w io.Writer
	c *Conn
}

func (t *tap) Write(line []byte) (int, error) {
	if trace := t.c.o.Trace; trace != nil {
		trace(true, bytes.TrimSuffix(line, []byte("\n")))
	}
	n, err := t.w.Write(line)
	if err != nil {
		t.c.breakOff(err)
	}
	return n, err
}
