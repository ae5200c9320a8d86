package control

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// child is what the test program does when it plays a CLI.
func child(how string) int {
	flag := strings.Join(os.Args[1:], " ")
	in := bufio.NewReader(os.Stdin)
	switch how {
	case "version":
		switch flag {
		case "-v":
			fmt.Println("2.1.33 (Claude Code)")
		case "--help":
			fmt.Println("Options:\n  --effort <level>")
		}
	case "version, then hangs":
		fmt.Println("2.1.33 (Claude Code)")
		hang()
	case "says nothing":
	case "exits at once":
		fmt.Fprintln(os.Stderr, "error: unknown option '--x'")
		return 7
	case "says much, then exits":
		for i := range 2000 {
			fmt.Fprintf(os.Stderr, "line %04d of a long complaint\n", i)
		}
		return 1
	case "kills itself":
		p, _ := os.FindProcess(os.Getpid())
		p.Kill()
		hang()
	case "echoes", "echoes and ignores SIGTERM":
		if how != "echoes" {
			signal.Ignore(syscall.SIGTERM)
		}
		fmt.Println(`{"type":"system","subtype":"init"}`)
		io.Copy(os.Stdout, in)
		if how != "echoes" {
			hang()
		}
		fmt.Println(`{"type":"result","subtype":"success"}`)
	case "leaves a child that holds the pipes":
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "CONTROL_TEST_CHILD=waits for its stdin")
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			return 9
		}
		fmt.Fprintln(os.Stderr, "leaving")
		fmt.Println(`{"type":"result","subtype":"success"}`)
		return 3
	case "waits for its stdin":
		io.Copy(io.Discard, in)
	case "closes its stdin":
		os.Stdin.Close()
		fmt.Println(`{"type":"system","subtype":"deaf"}`)
		os.Stdout.Sync()
		hang()
	case "reports its start":
		wd, _ := os.Getwd()
		fmt.Printf("%s|%s|%s|%s\n", wd, os.Getenv("PWD"), os.Getenv("CLAUDE_CODE_ENTRYPOINT"), flag)
	}
	return 0
}

// hang never returns. A bare select would be seen as a deadlock.
func hang() {
	for {
		time.Sleep(time.Hour)
	}
}

// start starts the test program as a CLI.
func start(t *testing.T, how string, change ...func(*Command)) Peer {
	t.Helper()
	c := Command{Path: must[string](t)(os.Executable()), Env: []string{"CONTROL_TEST_CHILD=" + how}}
	for _, f := range change {
		f(&c)
	}
	p, err := Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		p.Wait()
	})
	return p
}

// within fails the test when f takes longer than patience.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("it takes too long")
	}
}

func TestHowAProcessEnds(t *testing.T) {
	for _, tt := range []struct {
		how    string
		code   int
		signal string
		stderr string
	}{
		{"says nothing", 0, "", ""},
		{"exits at once", 7, "", "error: unknown option '--x'\n"},
		{"kills itself", -1, "killed", ""},
	} {
		t.Run(tt.how, func(t *testing.T) {
			if tt.signal != "" && runtime.GOOS == "windows" {
				t.Skip("Windows has no signals")
			}
			p := start(t, tt.how)
			io.Copy(io.Discard, p.Stdout())
			err := p.Wait()
			if again := p.Wait(); again != err {
				t.Errorf("Wait = %v, then %v", err, again)
			}
			if tt.code == 0 {
				if err != nil {
					t.Errorf("Wait = %v", err)
				}
				return
			}
			exit, ok := errors.AsType[*ExitError](err)
			if !ok || exit.Code != tt.code || exit.Signal != tt.signal || exit.Stderr != tt.stderr {
				t.Errorf("Wait = %#v, want code %d, signal %q, stderr %q", err, tt.code, tt.signal, tt.stderr)
			}
		})
	}
}

func TestExitErrorTellsTheLastLines(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  ExitError
		want string
	}{
		{"a code alone", ExitError{Code: 2}, "the claude CLI exited with code 2"},
		{"a signal", ExitError{Code: -1, Signal: "killed", Stderr: " \n"}, "the claude CLI was ended by a signal: killed"},
		{"what it said", ExitError{Code: 1, Stderr: "a\nb\n"}, "the claude CLI exited with code 1: a\nb"},
		{"the last ten lines", ExitError{Code: 1, Stderr: strings.Repeat("x\n", 50) + "end"}, "the claude CLI exited with code 1: " + strings.Repeat("x\n", 9) + "end"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("Error = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestStderrComesLineByLineAndItsEndIsKept(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	p := start(t, "says much, then exits", func(c *Command) {
		c.Stderr = func(line string) {
			mu.Lock()
			defer mu.Unlock()
			lines = append(lines, line)
		}
	})
	within(t, func() { p.Wait() })
	mu.Lock()
	defer mu.Unlock()
	if len(lines) != 2000 || lines[0] != "line 0000 of a long complaint" || lines[1999] != "line 1999 of a long complaint" {
		t.Errorf("%d lines", len(lines))
	}
	if tail := p.StderrTail(); len(tail) != stderrTail || !strings.HasSuffix(tail, "line 1999 of a long complaint\n") {
		t.Errorf("a tail of %d bytes that ends in %q", len(tail), tail[max(0, len(tail)-40):])
	}
}

func TestASessionWithAProcess(t *testing.T) {
	p := start(t, "echoes")
	h := newDemo()
	c := NewConn(p.Stdout(), p.Stdin(), h, Options{})
	served := make(chan error, 1)
	go func() { served <- c.Serve(t.Context()) }()
	uuid := must[string](t)(c.Prompt("hi"))
	within(t, func() {
		if err := Shutdown(t.Context(), p); err != nil {
			t.Errorf("Shutdown = %v", err)
		}
		if err := <-served; err != nil {
			t.Errorf("Serve = %v", err)
		}
	})
	if len(h.messages) != 3 || h.messages[1].UUID() != uuid || h.messages[2].Type != "result" {
		t.Errorf("messages %v", h.messages)
	}
	if err := p.Stdin().Close(); err != nil {
		t.Errorf("closing stdin again: %v", err)
	}
	if err := errors.Join(p.Terminate(), p.Kill()); err != nil {
		t.Errorf("signals after the end: %v", err)
	}
}

func TestACLIThatIgnoresSIGTERMIsKilled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGTERM")
	}
	p := start(t, "echoes and ignores SIGTERM")
	first := bufio.NewReader(p.Stdout())
	if _, err := first.ReadString('\n'); err != nil { // it ignores from now on
		t.Fatal(err)
	}
	if err := p.Terminate(); err != nil {
		t.Fatal(err)
	}
	within(t, func() {
		io.WriteString(p.Stdin(), "still there\n")
		if line, err := first.ReadString('\n'); line != "still there\n" {
			t.Errorf("after SIGTERM it says %q, %v", line, err)
		}
		p.Stdin().Close()
		if err := p.Kill(); err != nil {
			t.Error(err)
		}
		if exit, ok := errors.AsType[*ExitError](p.Wait()); !ok || exit.Signal != "killed" || exit.Code != -1 {
			t.Errorf("Wait = %#v, want killed", exit)
		}
	})
}

func TestAGrandchildThatHoldsThePipesDelaysNobody(t *testing.T) {
	p := start(t, "leaves a child that holds the pipes")
	h := newDemo()
	c := NewConn(p.Stdout(), io.Discard, h, Options{})
	within(t, func() {
		began := time.Now()
		if err := c.Serve(t.Context()); err != nil {
			t.Errorf("Serve = %v", err)
		}
		exit, ok := errors.AsType[*ExitError](p.Wait())
		if !ok || exit.Code != 3 || exit.Stderr != "leaving\n" {
			t.Errorf("Wait = %#v, want code 3 and its stderr", exit)
		}
		if d := time.Since(began); d > patience/2 {
			t.Errorf("it took %s", d)
		}
	})
	if len(h.messages) != 1 {
		t.Errorf("%d messages, want the result that was written before the end", len(h.messages))
	}
	p.Stdin().Close() // the grandchild ends with it
}

func TestAClosedPipeFailsTheWriteAndNotTheProgram(t *testing.T) {
	p := start(t, "closes its stdin")
	c := NewConn(p.Stdout(), p.Stdin(), newDemo(), Options{})
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- c.Serve(ctx) }()
	within(t, func() {
		for { // until the CLI has closed it
			if _, err := c.Prompt("anybody there?"); err != nil {
				if !errors.Is(err, ErrClosed) {
					t.Errorf("Prompt = %v, want ErrClosed", err)
				}
				break
			}
			runtime.Gosched()
		}
		<-c.Broken()
		if err := c.Interrupt(ctx); !errors.Is(err, ErrClosed) {
			t.Errorf("Interrupt = %v, want ErrClosed", err)
		}
		p.Kill()
		if err := <-served; !errors.Is(err, ErrClosed) {
			t.Errorf("Serve = %v, want the broken write", err)
		}
	})
	cancel()
}

func TestARequestToACLIThatExitsAtOnceFailsAtOnce(t *testing.T) {
	p := start(t, "exits at once")
	c := NewConn(p.Stdout(), p.Stdin(), newDemo(), Options{})
	go c.Serve(t.Context())
	within(t, func() {
		_, err := c.Initialize(t.Context(), InitializeRequest{})
		if !errors.Is(err, ErrClosed) {
			t.Errorf("Initialize = %v, want ErrClosed", err)
		}
	})
}

func TestTheProcessStartsWhereItIsTold(t *testing.T) {
	dir := must[string](t)(filepath.EvalSymlinks(t.TempDir()))
	p := start(t, "reports its start", func(c *Command) { c.Dir = dir })
	out := string(must[[]byte](t)(io.ReadAll(p.Stdout())))
	if want := dir + "|" + dir + "|sdk-go|" + byDefault + "\n"; out != want {
		t.Errorf("got  %s\nwant %s", out, want)
	}
}

func TestWhatCannotBeStarted(t *testing.T) {
	dir := t.TempDir()
	self := must[string](t)(os.Executable())
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		name string
		c    Command
		want error
		says string
	}{
		{"a program that does not exist", Command{Path: filepath.Join(dir, "gone")}, ErrNotFound, "does not exist"},
		{"a working directory that does not exist", Command{Path: self, Dir: filepath.Join(dir, "gone")}, ErrDir, filepath.Join(dir, "gone")},
		{"a working directory that is a file", Command{Path: self, Dir: file("plain", "", 0o666)}, ErrDir, "not a directory"},
		{"a file that may not be executed", Command{Path: file("text", "x", 0o666)}, ErrSpawn, "permission denied"},
		{"a script without its interpreter", Command{Path: file("script", "#!/no/such/program\n", 0o777)}, ErrSpawn, "interpreter"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && tt.want == ErrSpawn {
				t.Skip("Windows judges programs by their names")
			}
			_, err := Start(t.Context(), tt.c)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Start = %v, want %v with %q", err, tt.want, tt.says)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Start(ctx, Command{Path: self}); !errors.Is(err, context.Canceled) {
		t.Errorf("Start with a context that has ended = %v", err)
	}
}

func TestProbe(t *testing.T) {
	self := must[string](t)(os.Executable())
	for _, tt := range []struct {
		how    string
		limit  time.Duration
		number string
		effort bool
	}{
		{"version", patience, "2.1.33", true},
		{"says nothing", patience, "", true},
		{"exits at once", patience, "", true},
		{"version, then hangs", 3 * time.Second, "2.1.33", false},
	} {
		t.Run(tt.how, func(t *testing.T) {
			t.Setenv("CONTROL_TEST_CHILD", tt.how)
			within(t, func() {
				v, err := probe(t.Context(), self, tt.limit)
				if err != nil || v.Number != tt.number || v.Features.Effort != tt.effort {
					t.Errorf("Probe = %+v, %v; want %q", v, err, tt.number)
				}
			})
		})
	}
	if _, err := Probe(t.Context(), filepath.Join(t.TempDir(), "gone")); !errors.Is(err, ErrNotFound) {
		t.Errorf("Probe of nothing = %v, want ErrNotFound", err)
	}
}
