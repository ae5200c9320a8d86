package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/luatools/luatools/host"
)

// terminal asks the person at it. Lines are read by one goroutine that lives as long as the process, because a read of a terminal
// cannot be given up: a question that was withdrawn leaves it waiting for the next.
type terminal struct {
	a     *app
	start sync.Once
	lines chan string
}

// asker returns who is asked: the person at the terminal, or nil when there is none or --no-prompt was given.
func (a *app) asker() host.Asker {
	if a.opt.noPrompt || !isTerminal(a.in) || !isTerminal(a.err) {
		return nil
	}
	return &terminal{a: a, lines: make(chan string)}
}

func (t *terminal) read() {
	r := bufio.NewReader(t.a.in)
	for {
		line, err := r.ReadString('\n')
		if err != nil && line == "" {
			if !errors.Is(err, io.EOF) {
				t.a.sayf("the terminal cannot be read: %s", err)
			}
			close(t.lines)
			return
		}
		t.lines <- strings.TrimSpace(line)
	}
}

// Ask implements host.Asker. It blocks until there is an answer, or ctx is done.
func (t *terminal) Ask(ctx context.Context, q host.Question) (host.Answer, error) {
	t.start.Do(func() { go t.read() })
	t.show(q)
	for {
		fmt.Fprint(t.a.err, "└ allow? [y] once  [s] this session  [n] no › ")
		select {
		case <-ctx.Done():
			fmt.Fprintln(t.a.err, "(withdrawn)")
			return host.Answer{}, ctx.Err()
		case line, ok := <-t.lines:
			switch {
			case !ok:
				return host.Answer{}, errors.New("the terminal was closed")
			case line == "y" || line == "yes":
				return host.Answer{Allow: true}, nil
			case line == "s":
				return host.Answer{Allow: true, Session: true}, nil
			case line == "n" || line == "no":
				return host.Answer{}, nil
			}
		}
	}
}

// show prints what is asked: the tool, why it asks, and the whole input with long values cut in the middle.
func (t *terminal) show(q host.Question) {
	var b strings.Builder
	fmt.Fprintf(&b, "┌ %s asks: %s\n", q.Tool, q.Reason)
	if q.Declares != "" {
		fmt.Fprintf(&b, "│ it declares %s", q.Declares)
		if q.File != "" {
			fmt.Fprintf(&b, " in %s", q.File)
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
