package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/luatools/luatools/protocol"
)

const (
	// endGrace is how long calls may run on after the end of input: the client may have closed its end only to say
	// that nothing more comes.
	endGrace = 2 * time.Second
	// stopGrace is how long cancelled calls, and a read that is to be interrupted, are waited for.
	stopGrace = 5 * time.Second
	readGrace = 100 * time.Millisecond
)

// ErrEnded is what a Notifier returns when its connection has ended.
var ErrEnded = errors.New("the connection to the MCP client has ended")

// LinesOptions configures ServeLines. The zero value takes lines up to protocol.DefaultMaxLine.
type LinesOptions struct {
	MaxLine int // the longest line that is read, in bytes

	// Attach receives, before reading starts, the connection's Notifier, for notifications/tools/list_changed. It may be
	// nil. What is sent before the client's first message is dropped: it has asked for nothing that could change.
	Attach func(Notifier)
}

// ServeLines serves MCP on newline-delimited JSON until r ends, a write fails or ctx is done: each request in its own
// goroutine. It returns nil at the end of input, else the error of the read or write, or the context's cause.
//
// A line that is no JSON, is too long, or is no JSON-RPC message is answered with its error, and reading goes on; a
// last line that broke off is dropped. A call that the client cancels is not answered.
//
// At the end of input running calls get 2 s, the rest is cancelled, and what they say is still written. When ctx is
// done all are cancelled at once, and a blocked read is interrupted by r's SetReadDeadline, or else its Close, if it
// has one; a read that goes on all the same, as one of a terminal does, is left behind and its lines are dropped.
//
// It waits for all calls. Only when some are still running 5 s after they were cancelled it returns an error that
// says so.
func (s *Server) ServeLines(ctx context.Context, r io.Reader, w io.Writer, o LinesOptions) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := &lines{server: s, out: protocol.NewLineWriter(w), stop: stop}
	defer c.out.Fail(ErrEnded)
	if o.Attach != nil {
		o.Attach(c)
	}
	calls := WithNotifier(ctx, c)

	read := make(chan error, 1)
	go func() { read <- c.read(calls, protocol.NewLineReader(r, o.MaxLine)) }()

	var err error
	select {
	case err = <-read:
	case <-ctx.Done():
		err = context.Cause(ctx)
		c.interrupt(r, read)
	}
	if left := c.drain(ctx); left != nil {
		return errors.Join(err, left)
	}
	if err == nil && ctx.Err() != nil && context.Cause(ctx) != errInputEnded {
		err = context.Cause(ctx) // a write that failed, or our own context, during the grace
	}
	return err
}

// lines is one connection.
type lines struct {
	server  *Server
	out     *protocol.LineWriter
	stop    context.CancelCauseFunc // ends the connection
	running protocol.Running
	greeted atomic.Bool // the client has sent something

	mu     sync.Mutex
	closed bool // no more requests begin
	active sync.WaitGroup
	count  atomic.Int64 // what active waits for
}

// errInputEnded cancels the calls that run longer than endGrace after the end of input.
var errInputEnded = errors.New("the client has closed its end")

// cancelledByClient is the cause of a call's end for which the client wants no answer.
type cancelledByClient struct{ reason string }

func (c *cancelledByClient) Error() string {
	if c.reason == "" {
		return "cancelled by the client"
	}
	return "cancelled by the client: " + c.reason
}

// read takes lines until the input ends, and returns nil then.
func (c *lines) read(ctx context.Context, in *protocol.LineReader) error {
	for {
		line, err := in.Next()
		long, isLong := errors.AsType[*protocol.LineTooLongError](err)
		switch {
		case isLong:
			c.answer(&protocol.Response{ID: nullID, Error: protocol.Errorf(protocol.CodeParse, "parse error: %v", long)})
			continue
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("read from the MCP client: %w", err)
		}
		if line = bytes.TrimSpace(line); len(line) == 0 || in.Partial() && !protocol.Valid(line) {
			continue
		}
		c.message(ctx, bytes.Clone(line)) // the reader's buffer is used again while the request runs
	}
}

var nullID = []byte("null")

// message takes one line. It never writes itself: a client that sends without reading would stop the reader.
func (c *lines) message(ctx context.Context, line []byte) {
	req, _, bad := protocol.Decode(line, false)
	c.greeted.Store(true)
	switch {
	case bad != nil && !bad.Answer:
		c.answer(bad.Response())
	case req == nil:
		// Answers: we send no requests, and a broken one must not be answered.
	case req.Method == "notifications/cancelled" && req.Notification():
		id, reason := CancelledID(req)
		c.running.Cancel(id, &cancelledByClient{reason})
	case req.Method == "tools/call" && !req.Notification():
		// Registered before its goroutine starts, so that a cancel on the next line finds it.
		ctx, end := c.running.Begin(ctx, string(req.ID))
		if !c.begin(func() { defer end(); c.call(ctx, req) }) {
			end()
		}
	case !req.Notification():
		c.begin(func() { c.call(ctx, req) })
	}
}

func (c *lines) call(ctx context.Context, req *protocol.Request) {
	res := c.server.Handle(ctx, req)
	if _, unwanted := context.Cause(ctx).(*cancelledByClient); unwanted {
		return
	}
	c.write(res)
}

func (c *lines) answer(res *protocol.Response) { c.begin(func() { c.write(res) }) }

func (c *lines) write(res *protocol.Response) {
	if err := c.out.WriteJSON(res); err != nil {
		c.stop(fmt.Errorf("write to the MCP client: %w", err))
	}
}

// begin runs f in its own goroutine, unless the connection is closing. A goroutine for each request is the simple way;
// reading on in another one while this one runs the call would save a quarter of a small call's time.
func (c *lines) begin(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.count.Add(1)
	c.active.Go(func() {
		defer c.count.Add(-1)
		f()
	})
	return true
}

// interrupt ends a blocked read, if r can.
func (c *lines) interrupt(r io.Reader, read <-chan error) {
	if d, ok := r.(interface{ SetReadDeadline(time.Time) error }); !ok || d.SetReadDeadline(time.Now()) != nil {
		closer, ok := r.(io.Closer)
		if !ok {
			return
		}
		closer.Close()
	}
	select {
	case <-read:
	case <-time.After(readGrace): // a blocking descriptor: its read ends with the process
	}
}

// drain waits for the running calls, cancels what is left after endGrace, and returns an error when some do not end.
func (c *lines) drain(ctx context.Context) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	idle := make(chan struct{})
	go func() { c.active.Wait(); close(idle) }()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
	case <-time.After(endGrace):
		c.stop(errInputEnded)
	}
	select {
	case <-idle:
		return nil
	case <-time.After(stopGrace):
		return fmt.Errorf("calls still running %v after they were cancelled: %d", stopGrace, c.count.Load())
	}
}

// Notify implements [Notifier].
func (c *lines) Notify(method string, params protocol.Appender) error {
	if !c.greeted.Load() {
		return nil
	}
	return c.out.WriteJSON(notification{method, params})
}
