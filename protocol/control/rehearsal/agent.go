package rehearsal

import (
	"context"
	"io"
	"regexp"
	"strings"
	"sync"

	"github.com/luatools/luatools/protocol/control"
)

// Agent is one running rehearsal. It implements [control.Peer].
type Agent struct {
	o    Options
	in   *io.PipeReader
	keys *io.PipeWriter // the host's end of stdin
	out  *outbox

	ctx   context.Context // done when the agent has been told to end
	leave context.CancelFunc
	done  chan struct{} // closed when every goroutine has ended
	wg    sync.WaitGroup
	wake  chan struct{} // one slot: prompts or the end of input came

	mu       sync.Mutex
	end      error // what Wait returns
	ended    bool
	stderr   []string
	problems []string

	asked      map[string]*question // our requests, by id
	heard      map[string]bool      // ids of the host's requests
	closed     chan struct{}        // closed at the end of input
	prompts    []prompt
	interrupts []string                // requests to be answered by the turn
	stop       context.CancelCauseFunc // ends the running turn; nil between turns

	greeted bool            // initialize came
	ready   chan struct{}   // closed when the handshake under way has ended; nil: none
	relist  bool            // shake hands with all servers at the start of the next turn
	servers []*server       // in the order declared
	met     map[string]bool // every server that was ever declared
	hooks   map[string][]hook
	model   string
	mode    string
	allowed map[string]bool // tools that need not be asked about any more

	session   string
	turns     int    // turns begun
	uses      int    // tool_use ids made up
	messages  int    // assistant messages
	noise     int    // noise lines written
	failed    bool   // the last result makes the exit code 1
	lastReply string // text of the last tool result, for $RESULT
}

var _ control.Peer = (*Agent)(nil)

type hook struct {
	match    *regexp.Regexp
	callback string
}

// Start starts an agent. It ends when its stdin is closed and its turn is over, when it is told to, or when ctx is done.
// Wait must be called, or ctx be done, for its goroutines to end.
func Start(ctx context.Context, o Options) *Agent {
	a := &Agent{
		o: o, out: newOutbox(o.Chunk),
		done: make(chan struct{}), wake: make(chan struct{}, 1), closed: make(chan struct{}),
		asked: map[string]*question{}, heard: map[string]bool{}, allowed: map[string]bool{}, hooks: map[string][]hook{}, met: map[string]bool{},
		stderr: append([]string(nil), o.Stderr...), session: control.NewUUID(), model: o.Model, mode: o.PermissionMode,
	}
	if a.model == "" {
		a.model = "rehearsal"
	}
	if a.mode == "" {
		a.mode = "default"
	}
	a.in, a.keys = io.Pipe()
	a.ctx, a.leave = context.WithCancel(context.Background())
	forget := context.AfterFunc(ctx, func() { a.Kill() })
	if o.ExitAtOnce != 0 {
		a.exit(&control.ExitError{Code: o.ExitAtOnce})
	}
	if !o.Deaf {
		a.wg.Go(a.read)
	}
	a.wg.Go(a.converse)
	go func() {
		a.wg.Wait()
		forget()
		a.out.close()
		close(a.done)
	}()
	return a
}

// Stdin is what the host writes to. A write blocks until the agent has read it.
func (a *Agent) Stdin() io.WriteCloser { return a.keys }

// Stdout is what the host reads from; at the end of the agent it gives what is left, then io.EOF.
func (a *Agent) Stdout() io.Reader { return a.out }

// Wait blocks until the agent has ended. The error is nil for exit code 0, else a [*control.ExitError].
func (a *Agent) Wait() error {
	<-a.done
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.end
}

// Terminate ends the agent like SIGTERM: at once, with exit code 143.
func (a *Agent) Terminate() error {
	if !a.o.IgnoreTerminate {
		a.exit(&control.ExitError{Code: 143})
	}
	return nil
}

// Kill ends the agent like SIGKILL.
func (a *Agent) Kill() error {
	a.exit(&control.ExitError{Signal: "killed"})
	return nil
}

// StderrTail is what the agent said on stderr.
func (a *Agent) StderrTail() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return strings.Join(a.stderr, "\n")
}

// complain writes a line to stderr.
func (a *Agent) complain(text string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stderr = append(a.stderr, text)
}

// exit ends the agent; the first call wins. A nil end is exit code 0.
func (a *Agent) exit(end *control.ExitError) {
	a.mu.Lock()
	if a.ended {
		a.mu.Unlock()
		return
	}
	a.ended = true
	if end != nil {
		end.Stderr = strings.Join(a.stderr, "\n")
		a.end = end
	}
	a.mu.Unlock()
	a.leave()
	a.in.Close() // a write of the host fails from now on
}

// die ends the agent with exit code 1 and a reason on stderr, as the CLI does on a line it cannot take.
func (a *Agent) die(reason string) {
	a.problem("%s", reason)
	a.complain(reason)
	a.exit(&control.ExitError{Code: 1})
}

// isClosed reports whether stdin was closed.
func (a *Agent) isClosed() bool {
	select {
	case <-a.closed:
		return true
	default:
		return false
	}
}
