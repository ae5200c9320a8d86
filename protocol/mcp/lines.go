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
	// writeGrace is how long a client that has closed its end may leave an answer unread once all calls were cancelled,
	// haltGrace how long when we were told to end.
	writeGrace = time.Second
	haltGrace  = 100 * time.Millisecond
)

// ErrUnread is why answers could not be written.
var ErrUnread = errors.New("the MCP client does not read")

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
//
// A client that does not read cannot hold it either: once the calls are cancelled, a write that stands still for 1 s
// (100 ms when ctx is done) is given up, and the error is an [ErrUnread] with the number of messages lost. Such a write is
// ended by w's SetWriteDeadline, if it has one that works, else it is left behind in its goroutine.
func (s *Server) ServeLines(ctx context.Context, r io.Reader, w io.Writer, o LinesOptions) error {
	halt := ctx
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	c := &lines{server: s, out: protocol.NewLineWriter(w), stop: stop, gone: make(chan struct{})}
	defer c.leave()
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
	left := c.drain(ctx, halt, w)
	if err == nil && ctx.Err() != nil && context.Cause(ctx) != errInputEnded {
		err = context.Cause(ctx) // a write that failed, or our own context, during the grace
	}
	if left != nil {
		return errors.Join(err, left)
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
	closed bool           // no more requests begin
	calls  sync.WaitGroup // until their answers are there
	active sync.WaitGroup // until the answers are written

	count   atomic.Int64 // what calls waits for
	writing atomic.Int64 // messages that wait for the client
	written atomic.Int64 // those that wait no longer

	gone    chan struct{} // closed when the client is no longer waited for
	leaving sync.Once
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
		if !c.begin(func() *protocol.Response { defer end(); return c.call(ctx, req) }) {
			end()
		}
	case !req.Notification():
		c.begin(func() *protocol.Response { return c.call(ctx, req) })
	}
}

// call returns the answer to req, or nil when the client wants none.
func (c *lines) call(ctx context.Context, req *protocol.Request) *protocol.Response {
	res := c.server.Handle(ctx, req)
	if _, unwanted := context.Cause(ctx).(*cancelledByClient); unwanted {
		return nil
	}
	return res
}

func (c *lines) answer(res *protocol.Response) { c.begin(func() *protocol.Response { return res }) }

// begin runs f and writes the answer that it returns in a goroutine, unless the connection is closing. A goroutine for
// each request is the simple way; reading on in another one while this one runs the call would save a quarter of a small
// call's time.
func (c *lines) begin(f func() *protocol.Response) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.count.Add(1)
	c.calls.Add(1)
	c.active.Go(func() {
		if res := c.end(f); res != nil {
			c.write(res)
		}
	})
	return true
}

// end runs f as a call. From here on only the client, which has to read the answer, can hold it up.
func (c *lines) end(f func() *protocol.Response) *protocol.Response {
	defer func() {
		c.count.Add(-1)
		c.calls.Done()
	}()
	return f()
}

func (c *lines) write(res *protocol.Response) {
	if err := c.send(res); err != nil {
		c.stop(fmt.Errorf("write to the MCP client: %w", err))
	}
}

func (c *lines) send(v protocol.Appender) error {
	c.writing.Add(1)
	err := c.out.WriteJSON(v)
	c.written.Add(1)
	c.writing.Add(-1)
	return err
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

// drain waits for the running calls, cancels what is left after endGrace, and returns an error when some do not end or
// the client does not read what they say. halt is done when the connection has to end at once.
func (c *lines) drain(ctx, halt context.Context, w io.Writer) error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	idle := closedAfter(c.active.Wait)
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
	case <-time.After(endGrace):
		c.stop(errInputEnded)
	}
	cancelled := time.Now()
	unread := c.stalled(halt, idle)
	if unread != nil {
		c.leave() // lets go the calls that wait for a notice to be written
		c.interruptWrite(w, idle)
		idle = closedAfter(c.calls.Wait)
	}
	select {
	case <-idle:
		return unread
	case <-time.After(time.Until(cancelled.Add(stopGrace))):
		return errors.Join(unread, fmt.Errorf("calls still running %v after they were cancelled: %d", stopGrace, c.count.Load()))
	}
}

// stalled waits until all is written, and returns nil; or until the client has left what waits for it unread for a
// while, and returns an error then. It waits for stopGrace at most, for writeGrace when halt is done.
func (c *lines) stalled(halt context.Context, idle <-chan struct{}) error {
	const step = haltGrace
	last, still := c.written.Load(), time.Duration(0)
	for waited := step; ; waited += step {
		select {
		case <-idle:
			return nil
		case <-time.After(step):
		}
		if written := c.written.Load(); written != last {
			last, still = written, 0
		} else {
			still += step
		}
		unread, limit := c.writing.Load(), stopGrace
		enough := still >= writeGrace
		if halt.Err() != nil {
			enough, limit = still >= haltGrace, writeGrace
		}
		switch {
		case unread > 0 && (enough || waited >= limit):
			return fmt.Errorf("write to the MCP client: %w; messages lost: %d", ErrUnread, unread)
		case waited >= stopGrace:
			return nil // calls, which drain knows
		}
	}
}

// interruptWrite ends a blocked write, if w can.
func (c *lines) interruptWrite(w io.Writer, idle <-chan struct{}) {
	if d, ok := w.(interface{ SetWriteDeadline(time.Time) error }); !ok || d.SetWriteDeadline(time.Now()) != nil {
		return // a blocking descriptor: its write ends with the process
	}
	select {
	case <-idle:
	case <-time.After(readGrace):
	}
}

// leave lets nobody write to the client any more, nor wait for it.
func (c *lines) leave() {
	c.leaving.Do(func() {
		c.out.Fail(ErrEnded)
		close(c.gone)
	})
}

// closedAfter returns a channel that is closed when wait has returned.
func closedAfter(wait func()) <-chan struct{} {
	done := make(chan struct{})
	go func() { wait(); close(done) }()
	return done
}

// Notify implements [Notifier]. It waits until the notice is written or the connection has ended.
func (c *lines) Notify(method string, params protocol.Appender) error {
	if !c.greeted.Load() {
		return nil
	}
	line, err := notification{method, params}.AppendJSON(nil)
	if err != nil {
		return err
	}
	// In its own goroutine: a client that does not read must not keep the caller beyond the end.
	sent := make(chan error, 1)
	go func() { sent <- c.send(protocol.Raw(line)) }()
	select {
	case err := <-sent:
		return err
	case <-c.gone:
		return ErrEnded
	}
}
