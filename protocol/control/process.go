package control

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	stderrTail = 16 << 10    // how much of stderr is kept
	afterExit  = time.Second // how long output is still read after the process has ended
)

// Start starts the CLI in a process group of its own, so that a Ctrl-C reaches it through us only. ctx bounds the start
// alone: end the peer with [Shutdown]. Errors: [ErrNotFound], [ErrDir], [ErrSpawn].
//
// The end is learnt from the process, not from the end of its output: a program that it left behind may hold the pipes.
// Output is read for 1 s more at most, then Stdout ends and Wait returns.
func Start(ctx context.Context, c Command) (Peer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkDir(c.Dir); err != nil {
		return nil, err
	}
	p := &process{ended: make(chan struct{})}
	p.cmd = exec.Command(c.Path, c.Args()...)
	p.cmd.Dir = c.Dir
	p.cmd.Env = c.Environ()
	setGroup(p.cmd)
	if err := p.start(c.Path, c.Stderr); err != nil {
		return nil, err
	}
	return p, nil
}

// checkDir tells a bad working directory from a program that is not there: the operating system reports both alike.
func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("it is not a directory")
	}
	if err != nil {
		abs, _ := filepath.Abs(dir)
		return fmt.Errorf("%w: %s: %w", ErrDir, abs, err)
	}
	return nil
}

// process is a CLI that runs. It has pipes of its own: those of exec.Cmd are closed by Wait under their reader.
type process struct {
	cmd    *exec.Cmd
	stdin  *stdin
	stdout *stdout
	stderr *os.File
	tail   tail

	ended chan struct{} // closed when it has ended and err is set
	err   error

	mu     sync.Mutex
	exited bool // the process has been waited for: its id may be another's
}

func (p *process) start(path string, line func(string)) error {
	var theirs []*os.File
	ours := make([]*os.File, 0, 3)
	closeAll := func(files []*os.File) {
		for _, f := range files {
			f.Close()
		}
	}
	defer func() { closeAll(theirs) }()
	for i := range 3 {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours)
			return fmt.Errorf("%w: %w", ErrSpawn, err)
		}
		if i == 0 {
			r, w = w, r
		}
		ours, theirs = append(ours, r), append(theirs, w)
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	if err := p.cmd.Start(); err != nil {
		closeAll(ours)
		return startError(path, err)
	}
	p.stdin, p.stdout, p.stderr = &stdin{f: ours[0]}, &stdout{ours[1]}, ours[2]
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		p.readStderr(line)
	}()
	go p.wait(drained)
	return nil
}

// wait learns the end of the process and lets the output that is still on its way arrive.
func (p *process) wait(drained <-chan struct{}) {
	err := p.cmd.Wait()
	p.mu.Lock()
	p.exited = true
	p.mu.Unlock()
	deadline := time.Now().Add(afterExit)
	stopReading(p.stdout.f, deadline)
	stopReading(p.stderr, deadline)
	<-drained
	p.err = p.exitError(err)
	close(p.ended)
}

// stopReading ends the reading of f at a time. Where pipes know no deadline f is closed then.
func stopReading(f *os.File, at time.Time) {
	if f.SetReadDeadline(at) != nil {
		time.AfterFunc(time.Until(at), func() { f.Close() })
	}
}

func (p *process) readStderr(line func(string)) {
	defer p.stderr.Close()
	r := bufio.NewReaderSize(p.stderr, 64<<10)
	for {
		b, more, err := r.ReadLine() // a line above the buffer comes in pieces
		if err != nil {
			return
		}
		p.tail.add(b, !more)
		if line != nil {
			line(string(b))
		}
	}
}

func (p *process) Stdin() io.WriteCloser { return p.stdin }
func (p *process) Stdout() io.Reader     { return p.stdout }
func (p *process) StderrTail() string    { return p.tail.String() }

func (p *process) Wait() error {
	<-p.ended
	return p.err
}

func (p *process) Terminate() error { return p.signal(terminateGroup) }
func (p *process) Kill() error      { return p.signal(killGroup) }

// signal signals the process while it is surely ours.
func (p *process) signal(send func(*os.Process) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.exited {
		return nil
	}
	if err := send(p.cmd.Process); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return nil
}

// exitError turns what exec says of the end into ours; nil stays nil.
func (p *process) exitError(err error) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok {
		return err
	}
	return &ExitError{Code: exit.ExitCode(), Signal: signalOf(exit.ProcessState), Stderr: p.StderrTail()}
}

// ExitError is a CLI that ended badly: with a code above 0, or by a signal.
type ExitError struct {
	Code   int    // -1 when a signal ended it
	Signal string // such as "killed"; empty when it exited
	Stderr string // the last 16 KiB
}

// shownLines is how many lines of stderr an error text carries.
const shownLines = 10

func (e *ExitError) Error() string {
	how := "the claude CLI exited with code " + strconv.Itoa(e.Code)
	if e.Signal != "" {
		how = "the claude CLI was ended by a signal: " + e.Signal
	}
	said := strings.TrimSpace(e.Stderr)
	if said == "" {
		return how
	}
	lines := strings.Split(said, "\n")
	return how + ": " + strings.Join(lines[max(0, len(lines)-shownLines):], "\n")
}

// stdin is the writing end; closing it twice is harmless.
type stdin struct {
	f    *os.File
	once sync.Once
	err  error
}

func (s *stdin) Write(b []byte) (int, error) { return s.f.Write(b) }

func (s *stdin) Close() error {
	s.once.Do(func() { s.err = s.f.Close() })
	return s.err
}

// stdout is the reading end. It ends when the pipe does, or 1 s after the process.
type stdout struct{ f *os.File }

func (s *stdout) Read(b []byte) (int, error) {
	n, err := s.f.Read(b)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, os.ErrClosed):
		err = io.EOF
	}
	if err != nil {
		s.f.Close()
	}
	return n, err
}

// tail keeps the end of stderr.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) add(b []byte, whole bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if whole {
		t.buf = append(t.buf, '\n')
	}
	if over := len(t.buf) - stderrTail; over > stderrTail {
		t.buf = append(t.buf[:0], t.buf[over:]...)
	}
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.buf[max(0, len(t.buf)-stderrTail):]), "\uFFFD")
}
