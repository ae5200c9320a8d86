package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/luatools/luatools/host"
)

// terminal asks the person at it. What was typed before a question does not answer it: input that waits is thrown away, and lines
// are read only while a question stands. A read of a terminal cannot be given up, so a question that was withdrawn leaves its read
// to the next; a line that comes in between is dropped. The host puts one question at a time.
type terminal struct {
	a     *app
	in    *bufio.Reader // of the reading goroutine
	lines chan typed

	mu      sync.Mutex
	reading bool // a read is under way
	stands  bool // a question waits for its answer
}

// typed is one line, or why there is none.
type typed struct {
	line string
	err  error
}

// asker returns who is asked: the person at the terminal, or nil when there is none or --no-prompt was given.
func (a *app) asker() host.Asker {
	if a.opt.noPrompt || !isTerminal(a.in) || !isTerminal(a.err) {
		return nil
	}
	return newTerminal(a)
}

func newTerminal(a *app) *terminal {
	return &terminal{a: a, in: bufio.NewReader(a.in), lines: make(chan typed, 1)}
}

// Ask implements host.Asker. It blocks until there is an answer, or ctx is done.
func (t *terminal) Ask(ctx context.Context, q host.Question) (host.Answer, error) {
	t.show(q)
	for {
		if f, ok := t.a.in.(*os.File); ok {
			if err := flush(f); err != nil {
				return host.Answer{}, fmt.Errorf("what was typed before the question cannot be told from its answer: %w", err)
			}
		}
		t.listen(true)
		fmt.Fprint(t.a.err, "└ allow? [y] once  [s] this session  [n] no › ")
		select {
		case <-ctx.Done():
			t.listen(false)
			fmt.Fprintln(t.a.err, "(withdrawn)")
			return host.Answer{}, ctx.Err()
		case got := <-t.lines:
			if got.err != nil {
				return host.Answer{}, got.err
			}
			if answer, ok := readAnswer(got.line); ok {
				return answer, nil
			}
			fmt.Fprintln(t.a.err, "  type y, s or n")
		}
	}
}

// readAnswer understands what was typed. An empty line is a no: who only wants to go on has not allowed anything.
func readAnswer(line string) (host.Answer, bool) {
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return host.Answer{Allow: true}, true
	case "s", "session":
		return host.Answer{Allow: true, Session: true}, true
	case "n", "no", "":
		return host.Answer{}, true
	}
	return host.Answer{}, false
}

// listen says whether a question stands, and has a line read for it when no read is under way.
func (t *terminal) listen(stands bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stands = stands
	if !stands {
		select {
		case <-t.lines: // it came with the withdrawal
		default:
		}
		return
	}
	if !t.reading {
		t.reading = true
		go t.read()
	}
}

// read reads until a line comes while a question stands, and hands it over.
func (t *terminal) read() {
	for {
		_, _ = t.in.Discard(t.in.Buffered())
		line, err := t.in.ReadString('\n')
		switch {
		case errors.Is(err, io.EOF):
			err = errors.New("the terminal was closed")
		case err != nil:
			err = fmt.Errorf("the terminal cannot be read: %w", err)
		}
		t.mu.Lock()
		if t.stands || err != nil {
			t.reading = false
			if t.stands {
				t.stands = false
				t.lines <- typed{line, err}
			}
			t.mu.Unlock()
			return
		}
		t.mu.Unlock()
	}
}

// show prints what is asked: the tool, why it asks, and the whole input with long values cut in the middle.
func (t *terminal) show(q host.Question) {
	var b strings.Builder
	fmt.Fprintf(&b, "┌ %s asks: %s\n", q.Tool, q.Reason)
	if q.Declares != "" {
		fmt.Fprintf(&b, "│ it declares %s", q.Declares)
		if q.File != "" {
			fmt.Fprintf(&b, " in %s", inLine(q.File))
			if q.Line > 0 {
				fmt.Fprintf(&b, ":%d", q.Line)
			}
		}
		b.WriteByte('\n')
	}
	for _, line := range strings.Split(pretty(q.Input), "\n") {
		fmt.Fprintf(&b, "│ %s\n", middle(line, 2000))
	}
	fmt.Fprint(t.a.err, visible(b.String()))
}
