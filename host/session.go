package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

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
	//
	// Nothing is asked of the CLI before its start, which would cost a third of a second with each session: it is started with
	// --system-prompt-snapshot off, and once more without it when it exits because it does not know that flag. Command.Features decides
	// where it is given.
	Follow bool
}

// Session is one run of the Claude CLI. It is safe for concurrent use. Its goroutines are the reader of the CLI's lines with one for each
// request, one that waits for the process, one that tells of changed tools once there are any, and one that ends them all; Close waits for them.
type Session struct {
	h       *Host
	conn    *control.Conn
	peer    control.Peer
	from    caller
	servers atomic.Pointer[map[string]*sessionServer]
	known   atomic.Pointer[control.Features]
	inbox   *inbox
	reading chan struct{} // holds a token while a query reads the inbox

	born     uint64 // seq of the registry at the start
	lists    lists
	follower *follower

	mu      sync.Mutex
	version string   // of the CLI, from its handshake
	can     []string // its capabilities, from system/init
	turn    *turn    // of the query that runs
	ending  control.Ending
	closing chan struct{}
	closed  bool           // closing is closed
	ended   bool           // no more stops begin
	stops   sync.WaitGroup // interrupts of turns that are written or wait for their answer

	done     chan struct{} // closed when everything has ended; then the rest is readable
	err      error         // why no more messages come
	closeErr error
}

// Start starts the CLI (or takes o.Peer) and initializes the session with all servers of this moment. An error is final: nothing is
// left running. When ctx ends, so does the session, as with [Session.Close].
func (h *Host) Start(ctx context.Context, o SessionOptions) (*Session, error) {
	if !o.Follow || o.Peer != nil || o.Command.SnapshotOff || o.Command.Features != nil && !o.Command.Features.SnapshotOff {
		return h.start(ctx, o)
	}
	plain := o
	if _, refused := h.noSnapshotOff.Load(o.Command.Path); refused {
		return h.start(ctx, plain)
	}
	o.Command.SnapshotOff = true
	s, err := h.start(ctx, o)
	if exit, ok := errors.AsType[*control.ExitError](err); ok && exit.Code > 0 && strings.Contains(exit.Stderr, control.SnapshotFlag) {
		h.noSnapshotOff.Store(o.Command.Path, true)
		h.log(LogEntry{Level: "debug", Text: "the CLI does not know " + control.SnapshotFlag + ": started again without it"})
		return h.start(ctx, plain)
	}
	return s, err
}

// start is one attempt.
func (h *Host) start(ctx context.Context, o SessionOptions) (*Session, error) {
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
		from:  caller{line: h.line, answers: &answers{}, approvals: &approvals{}},
		lists: lists{heard: make(chan struct{})},
	}
	s.follower = newFollower(s.follow)
	names := s.declare()
	if o.Conn.Fault == nil {
		o.Conn.Fault = s.fault
	}
	s.conn = control.NewConn(peer.Stdout(), peer.Stdin(), s, o.Conn)
	go s.supervise(ctx)
	init := control.InitializeRequest{Servers: names}
	if o.Follow && h.lib != nil {
		init.Hooks = writeHooks
	}
	if _, err := s.conn.Initialize(ctx, init); err != nil {
		err = s.because(err)
		_ = s.Close() // it has nothing to add
		return nil, fmt.Errorf("start the session: %w%s", err, stderrOf(peer, err))
	}
	h.followers.add(s.follower)
	if h.registry() != s.lists.synced.Load() { // the tools have changed meanwhile
		s.follower.poke()
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
	r := s.h.registry()
	var names []string
	servers := map[string]*sessionServer{}
	for i := range r.servers {
		srv := &r.servers[i]
		servers[srv.name] = s.newServer(srv)
		names = append(names, srv.name)
	}
	s.servers.Store(&servers)
	s.born = r.seq
	s.lists.synced.Store(r)
	return names
}

func (s *Session) newServer(srv *server) *sessionServer {
	info := mcp.Info{Name: srv.name, Title: srv.title, Version: srv.version, Instructions: srv.instructions}
	if info.Version == "" {
		info.Version = serverVersion
	}
	return &sessionServer{
		Server: mcp.NewServer(info, &serverView{s, srv.name}, mcp.Options{Initialize: s.meet, Panic: s.h.panicked}),
		s:      s, name: srv.name,
	}
}

// fault logs what went wrong on our side and is no error of any call.
func (s *Session) fault(err error) { s.h.log(LogEntry{Level: "error", Text: err.Error()}) }

// meet learns from the handshake which CLI this is: with old ones no other line tells it before the first list.
func (s *Session) meet(c mcp.ClientInfo) { s.learn(c.Version, nil) }

// learn takes in what the CLI told of itself, and keeps what it told before.
func (s *Session) learn(version string, can []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version = cmp.Or(version, s.version)
	if can != nil {
		s.can = can
	}
	f := control.FeaturesOf(s.version).WithCapabilities(s.can)
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
	s.follower.end()
	s.h.followers.drop(s.follower)
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
