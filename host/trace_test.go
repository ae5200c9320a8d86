package host

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var update = flag.Bool("update", false, "rewrite the > lines of the traces")

// scripted is a CLI whose lines are in a trace. It ends when its stdin is closed.
type scripted struct {
	stdin  *io.PipeReader
	keys   *io.PipeWriter
	screen *io.PipeReader
	stdout *io.PipeWriter
	sent   chan string // our lines
	killed chan struct{}
	kill   sync.Once
	done   chan struct{}
}

func newScripted() *scripted {
	p := &scripted{sent: make(chan string), killed: make(chan struct{}), done: make(chan struct{})}
	p.stdin, p.keys = io.Pipe()
	p.screen, p.stdout = io.Pipe()
	go func() {
		lines := bufio.NewScanner(p.stdin)
		for lines.Scan() {
			select {
			case p.sent <- lines.Text(): // a CLI that nobody listens to stops reading
			case <-p.killed:
			}
		}
		p.stdout.Close()
		close(p.sent)
		close(p.done)
	}()
	return p
}

func (p *scripted) Stdin() io.WriteCloser { return p.keys }
func (p *scripted) Stdout() io.Reader     { return p.screen }
func (p *scripted) Wait() error           { <-p.done; return nil }
func (p *scripted) Terminate() error      { return nil }
func (p *scripted) Kill() error           { p.kill.Do(func() { close(p.killed) }); return p.stdin.Close() }
func (p *scripted) StderrTail() string    { return "" }

var uuids = regexp.MustCompile(`"uuid":"[0-9a-f-]{36}"`)

// TestGreetTrace plays a captured conversation: "<" lines come from the CLI, ">" is what the host answers to the line before,
// with the tools of examples/greet.
func TestGreetTrace(t *testing.T) {
	file := filepath.Join("testdata", "greet_2_1_33.trace")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	synctest.Test(t, func(t *testing.T) { got = playTrace(t, strings.Split(strings.TrimSpace(string(text)), "\n")) })
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func playTrace(t *testing.T, lines []string) (got []string) {
	h := newHost(t, Options{Dir: filepath.Join("..", "examples", "greet", "tools")})
	p := newScripted()
	uuid := ""
	session := make(chan *Session, 1)
	result := make(chan string, 1)
	go func() {
		s, err := h.Start(t.Context(), SessionOptions{Peer: p})
		if err != nil {
			t.Error(err)
		}
		session <- s
	}()
	var s *Session
	for i, line := range lines {
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case "<":
			io.WriteString(p.stdout, strings.ReplaceAll(rest, `"uuid":"UUID"`, uuid)+"\n")
		case "$":
			s = <-session
			go func() {
				res, err := tryQuery(t.Context(), s, strings.TrimPrefix(rest, "prompt "))
				if err != nil {
					result <- err.Error()
					return
				}
				result <- res.Subtype
			}()
		case ">":
			sent := <-p.sent
			if found := uuids.FindString(sent); found != "" {
				uuid = found
				sent = strings.ReplaceAll(sent, found, `"uuid":"UUID"`)
			}
			if sent != rest && !*update {
				t.Errorf("line %d\nwant %s\ngot  %s", i+1, rest, sent)
			}
			line = "> " + sent
		}
		got = append(got, line)
	}
	if subtype := <-result; subtype != "success" {
		t.Errorf("the query ended with %s", subtype)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return got
}

func TestCLIThatStopsReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{Tools: []Tool{addTool()}})
		p := newScripted()
		go func() {
			<-p.sent // initialize
			io.WriteString(p.stdout, `{"type":"control_response","response":{"subtype":"success","request_id":"lt-1","response":{}}}`+"\n")
		}()
		s, err := h.Start(context.WithoutCancel(t.Context()), SessionOptions{Peer: p})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		if _, err := tryQuery(ctx, s, "anything"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the query got %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		if took := time.Since(began); took > 2*time.Minute {
			t.Errorf("it took %s", took)
		}
	})
}
