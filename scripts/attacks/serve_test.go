package attacks

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// program builds luatools once.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "luatools")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "luatools")
	out, err := exec.Command("go", "build", "-o", file, "../..").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return file, nil
})

// TestServed makes every attack a call to one luatools serve: one after another within the limit and half a second, then eight at once
// within the limit and three seconds. The server answers all of them, still serves, and its stdout has messages of the protocol alone.
func TestServed(t *testing.T) {
	if raceEnabled {
		t.Skip("the served program is not built with the race detector: there is nothing to see")
	}
	attacks := chosen(t)
	// A file that fails or hangs while it loads is another test's, and holds up the start of all.
	attacks = slices.DeleteFunc(attacks, func(a attack) bool { return a.Want == "load error" })
	t.Run("one after another", func(t *testing.T) { serveAll(t, attacks, 1, grace) })
	t.Run("eight at once", func(t *testing.T) { serveAll(t, attacks, 8, 3*time.Second) })
}

func serveAll(t *testing.T, attacks []attack, atOnce int, grace time.Duration) {
	s := startServer(t, attacks)
	queue := make(chan attack)
	var wg sync.WaitGroup
	var mu sync.Mutex
	var victims []time.Duration
	for range atOnce {
		wg.Go(func() {
			for a := range queue {
				if s.dead() {
					continue // reported
				}
				s.attack(t, a, grace, atOnce == 1)
				took := s.victim(t, a.Name)
				if atOnce == 1 {
					s.grown(t, a.Name)
				}
				mu.Lock()
				victims = append(victims, took)
				mu.Unlock()
			}
		})
	}
	for _, a := range attacks {
		if json.Valid([]byte(a.Args)) { // what is no JSON cannot be part of a message
			queue <- a
		}
	}
	close(queue)
	wg.Wait()
	s.victim(t, "all attacks")
	peak := s.end(t)
	slices.Sort(victims)
	t.Logf("the victim's call took p50 %v, p99 %v, longest %v; the peak of memory was %d MiB",
		victims[len(victims)/2], victims[len(victims)*99/100], victims[len(victims)-1], peak>>20)
	if atOnce == 1 && peak > memory {
		t.Errorf("the peak of memory was %d MiB", peak>>20)
	}
}

// server is a running luatools serve.
type server struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	stderr bytes.Buffer
	done   chan struct{} // stdout has ended
	peak   int64         // of memory, when it was last looked at

	writing sync.Mutex // not mu: the reader must go on while a write waits for the server to read

	mu      sync.Mutex
	next    int
	waiting map[int]chan message
	strange string // the first line that is not of the protocol
	listed  map[string]bool
}

type message struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      *int            `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func startServer(t *testing.T, attacks []attack) *server {
	t.Helper()
	file, err := program()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "tools")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write := func(name, source string) {
		if err := os.WriteFile(filepath.Join(dir, name+".lua"), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("victim", victimFile)
	for _, a := range attacks {
		write(a.Name, a.Source)
	}
	s := &server{waiting: map[int]chan message{}, done: make(chan struct{}), listed: map[string]bool{}}
	s.cmd = limited(addressSpace, file, "serve", "--tools", dir, "--timeout", usualWall.String())
	s.cmd.Stderr = &s.stderr
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.cmd.Process.Kill() })
	go s.read(out)
	s.call(t, "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"attacks","version":"1"}}`)
	s.write(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	var list struct {
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(s.call(t, "tools/list", `{}`).Result, &list); err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		s.listed[tool.Name] = true
	}
	// What the load of hundreds of hostile files takes, several at once, is not what a call takes.
	t.Logf("the load took a peak of %d MiB", forgetPeak(s.cmd.Process.Pid)>>20)
	if !s.listed["victim"] {
		t.Fatalf("the victim is not listed among %d tools\n%s", len(list.Tools), head(s.stderr.String()))
	}
	return s
}

// read hands out answers and looks at every line.
func (s *server) read(out io.Reader) {
	defer close(s.done)
	lines := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			s.line(line)
		}
		if err != nil {
			return
		}
	}
}

func (s *server) line(line []byte) {
	var m message
	err := json.Unmarshal(line, &m)
	s.mu.Lock()
	defer s.mu.Unlock()
	strange := func(why string) {
		if s.strange == "" {
			s.strange = why + ": " + head(string(line))
		}
	}
	switch {
	case err != nil:
		strange(err.Error())
	case m.JSONRPC != "2.0" || line[len(line)-1] != '\n':
		strange("this is no message")
	case len(line) > maxEncoded:
		strange(fmt.Sprintf("a line of %d MiB", len(line)>>20))
	case m.ID == nil && m.Method == "":
		strange("an answer to nothing")
	case m.ID != nil && m.Method == "":
		ch := s.waiting[*m.ID]
		if ch == nil {
			strange("an answer that nobody waits for")
			return
		}
		delete(s.waiting, *m.ID)
		ch <- m
	}
}

func (s *server) write(t *testing.T, line string) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		t.Errorf("the server does not read: %v", err)
	}
}

// call waits for the answer to a request.
func (s *server) call(t *testing.T, method, params string) (m message) {
	s.mu.Lock()
	s.next++
	id, ch := s.next, make(chan message, 1)
	s.waiting[id] = ch
	s.mu.Unlock()
	s.write(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	timer := time.NewTimer(time.Minute)
	defer timer.Stop()
	select {
	case m = <-ch:
	case <-s.done:
		t.Errorf("the server died while it had %s %.100s\n%s", method, params, head(s.stderr.String()))
	case <-timer.C:
		t.Errorf("no answer within a minute to %s %.100s", method, params)
	}
	return m
}

type result struct {
	Content []struct {
		Text string `json:"text"`
	} `json:"content"`
	IsError bool `json:"isError"`
}

func (s *server) tool(t *testing.T, name, args string) (m message, r result, took time.Duration) {
	params := fmt.Sprintf(`{"name":%q,"arguments":%s}`, name, args)
	begun := time.Now()
	m = s.call(t, "tools/call", params)
	took = time.Since(begun)
	if m.Result != nil {
		if err := json.Unmarshal(m.Result, &r); err != nil {
			t.Errorf("%s: the result: %v", name, err)
		}
	}
	return m, r, took
}

// attack calls a tool. With again, what was too late is tried once more, for the machine that tests is seldom idle.
func (s *server) attack(t *testing.T, a attack, grace time.Duration, again bool) {
	if strings.ContainsAny(a.Args, "\n\r") {
		return
	}
	m, r, took := s.tool(t, a.Name, a.Args)
	if took > usualWall+grace && again {
		m, r, took = s.tool(t, a.Name, a.Args)
	}
	if took > usualWall+grace {
		t.Errorf("%s: answered after %v", a.Name, took)
	}
	switch {
	case m.Result == nil && m.Error == nil:
		return // reported
	case m.Error != nil:
		if s.listed[a.Name] && !strings.Contains(a.Want, "error") {
			t.Errorf("%s: the protocol's error %d %s", a.Name, m.Error.Code, m.Error.Message)
		}
	case r.IsError && a.Want == "result" && !strings.Contains(r.Content[0].Text, "was stopped after"), !r.IsError && !strings.Contains(a.Want, "result"):
		t.Errorf("%s: isError is %v, want %s", a.Name, r.IsError, a.Want)
	}
}

func (s *server) victim(t *testing.T, after string) time.Duration {
	_, r, took := s.tool(t, "victim", victimArgs)
	if s.dead() {
		return took
	}
	if r.IsError || len(r.Content) != 1 || r.Content[0].Text != victimAnswer {
		t.Errorf("after %s the victim answered %+v", after, r)
	}
	return took
}

// grown names the attack that made the memory of the server larger than it may be.
func (s *server) grown(t *testing.T, name string) {
	if peak := currentPeak(s.cmd.Process.Pid); peak > memory && s.peak <= memory || peak > s.peak+memory/4 && s.peak > 0 {
		t.Logf("with %s the peak of memory grew from %d to %d MiB", name, s.peak>>20, peak>>20)
		s.peak = peak
	} else if s.peak == 0 {
		s.peak = peak
	}
}

func (s *server) dead() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// end closes stdin, waits, and returns the peak of memory since the load.
func (s *server) end(t *testing.T) int64 {
	peak := currentPeak(s.cmd.Process.Pid)
	s.in.Close()
	<-s.done
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v\n%s", err, head(s.stderr.String()))
	}
	if s.strange != "" {
		t.Errorf("stdout had something else than the protocol: %s", s.strange)
	}
	return peak
}
