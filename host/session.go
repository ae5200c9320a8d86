package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/control"
	"github.com/luatools/luatools/protocol/mcp"
)

// SessionOptions says how to start the CLI.
type SessionOptions struct {
	Command control.Command
	Peer    control.Peer // instead of a process; nil: start Command
	Conn    control.Options

	// Follow prepares the session for a host that is watched ([Host.Watch]): the CLI is started so that changed schemas reach the model in
	// a running conversation, and it tells when its own tools may have written a tool file. Without it, added tools still arrive.
	Follow bool
}

// Session is one run of the Claude CLI. It is safe for concurrent use. Its goroutines are the reader of the CLI's lines with one for each
// request, one that waits for the process, and one that ends them all; Close waits for them.
type Session struct {
	h       *Host
	conn    *control.Conn
	peer    control.Peer
	from    caller
	servers map[string]*sessionServer // not changed after Start
	known   atomic.Pointer[control.Features]
	inbox   *inbox
	reading chan struct{} // holds a token while a query reads the inbox

	mu      sync.Mutex
	turn    *turn // of the query that runs
	ending  control.Ending
	closing chan struct{}
	closed  bool           // closing is closed
	ended   bool           // no more stops begin
	stops   sync.WaitGroup // interrupts of turns that are written or wait for their answer

	done     chan struct{} // closed when everything has ended; then the rest is readable
	err      error         // why no more messages come
	closeErr error
}

// sessionServer is one server of the session, and the way for its notices to the CLI. It implements [mcp.Notifier].
type sessionServer struct {
	*mcp.Server
	s    *Session
	name string
}

// Notify implements [mcp.Notifier].
func (v *sessionServer) Notify(method string, params protocol.Appender) error {
	return v.s.conn.Notify(v.name, method, params)
}

// Start starts the CLI (or takes o.Peer) and initializes the session with all servers of this moment. An error is final: nothing is
// left running. When ctx ends, so does the session, as with [Session.Close].
func (h *Host) Start(ctx context.Context, o SessionOptions) (*Session, error) {
	peer := o.Peer
	if peer == nil {
		// Query knows the end of a turn by the echo of its prompt.
		o.Command.ReplayUserMessages = true
		var err error
		// The process outlives ctx by the shutdown ladder, which closes its stdin first.
		if peer, err = control.Start(context.WithoutCancel(ctx), o.Command); err != nil {
			return nil, err
		}
	}
	s := &Session{
		h: h, peer: peer, inbox: newInbox(), reading: make(chan struct{}, 1),
		closing: make(chan struct{}), done: make(chan struct{}),
		from:    caller{line: h.line, answers: &answers{}, approvals: &approvals{}},
		servers: map[string]*sessionServer{},
	}
	names := s.declare()
	if o.Conn.Fault == nil {
		o.Conn.Fault = s.fault
	}
	s.conn = control.NewConn(peer.Stdout(), peer.Stdin(), s, o.Conn)
	go s.supervise(ctx)
	if _, err := s.conn.Initialize(ctx, control.InitializeRequest{Servers: names}); err != nil {
		err = s.because(err)
		_ = s.Close() // it has nothing to add
		return nil, fmt.Errorf("start the session: %w%s", err, stderrOf(peer, err))
	}
	return s, nil
}

// stderrOf is what the CLI had to say, unless err tells it already.
func stderrOf(p control.Peer, err error) string {
	if _, ok := errors.AsType[*control.ExitError](err); ok {
		return ""
	}
	if tail := p.StderrTail(); tail != "" {
		return "\n" + tail
	}
	return ""
}

// serverVersion is what a server says of itself whose folder has no server.lua with a version. It is no version of ours: the tools are the author's.
const serverVersion = "1.0.0"

// declare makes the servers and returns their names, sorted.
func (s *Session) declare() []string {
	var names []string
	for _, srv := range s.h.registry().servers {
		info := mcp.Info{Name: srv.name, Title: srv.title, Version: srv.version, Instructions: srv.instructions}
		if info.Version == "" {
			info.Version = serverVersion
		}
		s.servers[srv.name] = &sessionServer{
			Server: mcp.NewServer(info, &serverView{s, srv.name}, mcp.Options{Initialize: s.meet, Panic: s.h.panicked}),
			s:      s, name: srv.name,
		}
		names = append(names, srv.name)
	}
	return names
}

// fault logs what went wrong on our side and is no error of any call.
func (s *Session) fault(err error) { s.h.log(LogEntry{Level: "error", Text: err.Error()}) }

// meet learns from the handshake which CLI this is: with old ones no other line tells it before the first list.
func (s *Session) meet(c mcp.ClientInfo) {
	f := control.FeaturesOf(c.Version)
	s.known.Store(&f)
}

// features are those of the CLI; of one that has not said who it is, those of a current one.
func (s *Session) features() control.Features {
	if f := s.known.Load(); f != nil {
		return *f
	}
	return control.FeaturesOf("")
}

// supervise runs the connection until the CLI ends, the context does, or Close is called, and then sees to the end of everything.
func (s *Session) supervise(ctx context.Context) {
	defer close(s.done)
	own := context.WithoutCancel(ctx)
	running, cancel := context.WithCancelCause(own)
	var serveErr, exitErr error
	served, exited := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(served)
		serveErr = s.conn.Serve(running)
	}()
	go func() {
		defer close(exited)
		exitErr = s.peer.Wait()
	}()
	asked := false
	select {
	case <-ctx.Done():
		asked = true
	case <-s.closing:
		asked = true
	case <-s.conn.Broken():
	case <-served:
	case <-exited:
	}
	if asked {
		s.interruptTurn()
	}
	s.endPeer(own, asked, served, exited, cancel)
	<-exited
	<-served // the peer's stdout ends with the peer, so this is soon
	cancel(nil)
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.stops.Wait()
	s.over(asked, serveErr, exitErr)
}

// endPeer cancels what runs for the CLI and makes it end, unless it has ended already.
func (s *Session) endPeer(ctx context.Context, asked bool, served, exited <-chan struct{}, cancel context.CancelCauseFunc) {
	if !asked && closedSoon(exited, drainWait) {
		// What it wrote before its end is still to be read, and may ask for things; nothing waits for the answers.
		closedSoon(served, drainWait)
		cancel(errClosing)
		return
	}
	cancel(errClosing)
	idle, stop := context.WithTimeout(ctx, handlerWait)
	_ = s.conn.Idle(idle) // late handlers lose their answers
	stop()
	// How it ended is told by Wait as well. One that survives even SIGKILL is waited for, but not in silence.
	if err := control.Shutdown(ctx, s.peer); err != nil && !closedSoon(exited, drainWait) {
		s.h.log(LogEntry{Level: "error", Text: err.Error()})
	}
}

const (
	handlerWait = 5 * time.Second // for what runs for the CLI, before its stdin is closed
	drainWait   = time.Second     // for an end that is about to come
)

// errClosing is the cause of a call's context when the session ends under it.
var errClosing = errors.New("the session ends")

// over settles the errors of an ended session. A CLI that exits with an error after an error result means that result, which its query has
// told already; and what we ended ourselves may end as it likes.
func (s *Session) over(asked bool, serveErr, exitErr error) {
	s.mu.Lock()
	reason := s.ending.Explain(exitErr)
	s.mu.Unlock()
	switch _, told := errors.AsType[*control.ResultError](reason); {
	case serveErr != nil && !errors.Is(serveErr, control.ErrClosed):
		s.err = serveErr
	case reason != nil:
		s.err = reason
		if told {
			exitErr = nil
		}
	default:
		// That a write failed is only how we noticed.
		s.err = fmt.Errorf("%w: it has ended with exit code 0", control.ErrClosed)
	}
	if !asked && (serveErr != nil || exitErr != nil) {
		s.closeErr = s.err
	}
	s.inbox.close(s.err)
}

// because replaces the error of a closed connection by the reason why it closed, once that is known.
func (s *Session) because(err error) error {
	if !errors.Is(err, control.ErrClosed) {
		return err
	}
	<-s.done
	return s.err
}

// interruptTurn ends the running turn before the CLI is ended, so that its transcript is whole.
func (s *Session) interruptTurn() {
	s.mu.Lock()
	t := s.turn
	s.mu.Unlock()
	if t != nil {
		closedSoon(s.stop(t), handlerWait) // the ladder follows in any case
	}
}

// closedSoon reports whether ch is closed within d.
func closedSoon(ch <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ch:
		return true
	case <-t.C:
		return false
	}
}

// Close ends the session: a running turn is interrupted, calls are cancelled, stdin is closed, and a CLI that stays is terminated.
// It waits for all of it, up to some 20 s with a CLI that does not react, and may be called any number of times. The error is that of a
// CLI that had ended by itself and badly, unless its last result told it already.
func (s *Session) Close() error {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.closing)
	}
	s.mu.Unlock()
	<-s.done
	return s.closeErr
}
