package control

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
)

// TestTraces plays the traces in testdata: "<" lines come from the CLI, one at a time; ">" is what goes out before all is
// quiet again; "=" is what our side gets. "$" lines are what our side does: initialize SERVER, prompt UUID TEXT,
// interrupt, mode MODE, servers NAME…, notify SERVER METHOD, control SUBTYPE [JSON], release, end. "<|" is a "<" without
// its newline.
func TestTraces(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.trace")
	if len(files) == 0 {
		t.Fatal("no traces")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".trace"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got []byte
			synctest.Test(t, func(t *testing.T) { got = play(t, want) })
			if *update {
				if err := os.WriteFile(file, got, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			compare(t, file, want, got)
		})
	}
}

func compare(t *testing.T, file string, want, got []byte) {
	t.Helper()
	w, g := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	for i := range max(len(w), len(g)) {
		var a, b string
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			t.Fatalf("%s:%d\nwant %s\ngot  %s", file, i+1, a, b)
		}
	}
}

// stage is a Conn between a script and a log.
type stage struct {
	mu  sync.Mutex
	log []string

	h    *demo
	conn *Conn
	in   *io.PipeWriter
}

func (s *stage) event(kind, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, kind+" "+text)
}

// Write takes a line of ours, which must be whole and valid.
func (s *stage) Write(b []byte) (int, error) {
	line, ok := bytes.CutSuffix(b, []byte("\n"))
	if !ok || bytes.ContainsAny(line, "\r\n") || !json.Valid(line) {
		s.event("=", fmt.Sprintf("BAD LINE %q", b))
	}
	s.event(">", string(line))
	return len(b), nil
}

// take returns the log since the last take. What happened at one step has no order.
func (s *stage) take() []string {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.log
	s.log = nil
	return sortSteps(out)
}

// sortSteps puts what goes out first, each kind in its own order.
func sortSteps(list []string) []string {
	slices.SortFunc(list, func(a, b string) int {
		if a[0] != b[0] {
			return int(b[0]) - int(a[0])
		}
		return strings.Compare(a, b)
	})
	return list
}

// play runs a script and returns it with its ">" and "=" lines as they are now.
func play(t *testing.T, script []byte) []byte {
	r, w := io.Pipe()
	s := &stage{h: newDemo(), in: w}
	s.h.events = func(e string) { s.event("=", e) }
	s.conn = NewConn(r, s, s.h, Options{
		Noise: func(_ []byte, why string) { s.event("=", "noise: "+why) },
		Fault: func(err error) {
			first, _, _ := strings.Cut(err.Error(), "\n")
			s.event("=", "fault: "+first)
		},
	})
	go func() {
		if err := s.conn.Serve(t.Context()); err != nil {
			s.event("=", "serve: "+err.Error())
		} else {
			s.event("=", "serve: done")
		}
	}()
	defer w.Close()

	var out []string
	for line := range strings.SplitSeq(strings.TrimSuffix(string(script), "\n"), "\n") {
		kind, rest, _ := strings.Cut(line, " ")
		switch kind {
		case ">", "=":
			continue
		case "<":
			io.WriteString(w, rest+"\n")
		case "<|":
			io.WriteString(w, rest)
		case "$":
			s.do(t.Context(), rest)
		}
		out = append(out, line)
		out = append(out, s.take()...)
	}
	return []byte(strings.Join(out, "\n") + "\n")
}

// do does what a "$" line says and logs the outcome when it is there.
func (s *stage) do(ctx context.Context, line string) {
	verb, arg, _ := strings.Cut(line, " ")
	first, rest, _ := strings.Cut(arg, " ")
	later := func(what string, f func() (any, error)) {
		go func() {
			res, err := f()
			if err != nil {
				s.event("=", "error: "+err.Error())
				return
			}
			b, _ := json.Marshal(res)
			s.event("=", what+": "+string(b))
		}()
	}
	switch verb {
	case "initialize":
		later(verb, func() (any, error) {
			return s.conn.Initialize(ctx, InitializeRequest{Servers: strings.Fields(arg), Hooks: json.RawMessage(`{"PreToolUse":[{"matcher":"Bash","hookCallbackIds":["hk0"]}]}`)})
		})
	case "prompt":
		later(verb, func() (any, error) { return first, s.conn.PromptAs(first, rest) })
	case "interrupt":
		later(verb, func() (any, error) { return nil, s.conn.Interrupt(ctx) })
	case "mode":
		later(verb, func() (any, error) { return nil, s.conn.SetPermissionMode(ctx, arg) })
	case "servers":
		later(verb, func() (any, error) { return s.conn.SetServers(ctx, strings.Fields(arg)) })
	case "notify":
		later(verb, func() (any, error) { return nil, s.conn.Notify(first, rest, nil) })
	case "control":
		later(verb, func() (any, error) {
			var fields any
			if rest != "" {
				fields = json.RawMessage(rest)
			}
			return s.conn.Request(ctx, first, fields)
		})
	case "release":
		close(s.h.release)
	case "end":
		s.in.Close()
	default:
		s.event("=", "UNKNOWN VERB "+verb)
	}
}
