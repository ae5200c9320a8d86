package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/control"
	"github.com/luatools/luatools/protocol/control/rehearsal"
	"github.com/luatools/luatools/protocol/mcp"
)

// inSession runs f with a session of h and a rehearsal agent, in a bubble: a goroutine that is left behind fails the test.
func inSession(t *testing.T, o Options, r rehearsal.Options, f func(t *testing.T, s *Session, a *rehearsal.Agent)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, o)
		a := rehearsal.Start(context.WithoutCancel(t.Context()), r)
		s, err := h.Start(context.WithoutCancel(t.Context()), SessionOptions{Peer: a})
		if err != nil {
			t.Fatal(err)
		}
		f(t, s, a)
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		for _, p := range a.Problems() {
			t.Errorf("problem: %s", p)
		}
	})
}

// query puts a prompt and returns its result.
func query(t *testing.T, s *Session, prompt string) *control.Result {
	t.Helper()
	res, err := tryQuery(t.Context(), s, prompt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func tryQuery(ctx context.Context, s *Session, prompt string) (res *control.Result, err error) {
	for m, err := range s.Query(ctx, prompt) {
		if err != nil {
			return nil, err
		}
		if r, ok := m.Result(); ok {
			res = r
		}
	}
	if res == nil {
		return nil, errors.New("the query ended without a result")
	}
	return res, nil
}

func TestSession(t *testing.T) {
	for _, tt := range []struct {
		name  string
		agent rehearsal.Options
	}{
		{"a current CLI", rehearsal.Options{}},
		{"an old CLI", rehearsal.Options{Old: true}},
		{"a handshake at the first prompt", rehearsal.Options{Handshake: rehearsal.HandshakeLate}},
		{"two handshakes", rehearsal.Options{Handshake: rehearsal.HandshakeTwice}},
		{"lines that arrive byte by byte", rehearsal.Options{Chunk: 1}},
		{"noise between the lines", rehearsal.Options{Noise: true}},
		{"types that nobody knows", rehearsal.Options{UnknownTypes: true}},
		{"requests that nobody knows", rehearsal.Options{UnknownRequests: true}},
		{"states of the session", rehearsal.Options{SessionState: true}},
		{"a line of 30 MB", rehearsal.Options{HugeLine: 30 << 20}},
		{"nothing is asked", rehearsal.Options{NoAsk: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inSession(t, Options{Tools: []Tool{addTool()}}, tt.agent, func(t *testing.T, s *Session, a *rehearsal.Agent) {
				for i := range 3 {
					res := query(t, s, fmt.Sprintf("go/add a=%d b=2", i))
					if want := fmt.Sprintf("%d + 2 = %d", i, i+2); res.Text != want || res.Failed() {
						t.Errorf("got %q, want %q (%+v)", res.Text, want, res)
					}
				}
			})
		})
	}
}

func TestNobodyIsAskedTwice(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer Answer
		agent  rehearsal.Options
		rules  []Rule
		asked  int
		ran    int32
		says   string
	}{
		{"yes to can_use_tool holds at the gate", Answer{Allow: true}, rehearsal.Options{}, nil, 1, 1, "done"},
		{"also with an old CLI", Answer{Allow: true}, rehearsal.Options{Old: true}, nil, 1, 1, "done"},
		{"no to can_use_tool", Answer{Message: "not today"}, rehearsal.Options{}, nil, 1, 0, "not today"},
		{"a CLI that does not ask meets the gate", Answer{Allow: true}, rehearsal.Options{NoAsk: true}, nil, 1, 1, "done"},
		{"no at the gate", Answer{}, rehearsal.Options{NoAsk: true}, nil, 1, 0, "A human denied this"},
		{"an allow rule answers both", Answer{}, rehearsal.Options{}, []Rule{{"go/boom", Allow}}, 0, 1, "done"},
		{"a deny rule answers both", Answer{Allow: true}, rehearsal.Options{}, []Rule{{"mcp__go__*", Deny}}, 0, 0, "--deny mcp__go__*"},
		{"a deny rule holds at the gate", Answer{Allow: true}, rehearsal.Options{NoAsk: true}, []Rule{{"go/boom", Deny}}, 0, 0, "--deny go/boom"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ran atomic.Int32
			p := says(tt.answer)
			o := Options{Tools: []Tool{dangerous("boom", &ran)}, Asker: p, Policy: Policy{tt.rules}}
			inSession(t, o, tt.agent, func(t *testing.T, s *Session, a *rehearsal.Agent) {
				res := query(t, s, "go/boom")
				whole := res.Text + strings.Join(res.Errors, "\n")
				if !strings.Contains(whole, tt.says) || ran.Load() != tt.ran || len(p.questions()) != tt.asked {
					t.Errorf("ran %d times, asked %d times: %q", ran.Load(), len(p.questions()), whole)
				}
			})
		})
	}
}

func TestHeadlessDenialNamesTheFlag(t *testing.T) {
	var ran atomic.Int32
	inSession(t, Options{Tools: []Tool{dangerous("boom", &ran)}}, rehearsal.Options{}, func(t *testing.T, s *Session, a *rehearsal.Agent) {
		res := query(t, s, "go/boom")
		if whole := res.Text + strings.Join(res.Errors, "\n"); !strings.Contains(whole, "--allow go/boom") || len(res.PermissionDenials) != 1 || ran.Load() != 0 {
			t.Errorf("got %q, %d denials", whole, len(res.PermissionDenials))
		}
	})
}

func TestToolsOfTheCLI(t *testing.T) {
	script := []rehearsal.Turn{{Steps: []rehearsal.Step{
		{Calls: []rehearsal.ToolUse{{Name: "Bash", Input: `{"command":"ls"}`}}}, {Text: "$RESULT"},
	}}}
	for _, tt := range []struct {
		name  string
		asker Asker
		rules []Rule
		allow bool
		says  string
	}{
		{"they ask", says(Answer{Allow: true}), nil, true, ""},
		{"headless they are denied, with the flag", nil, nil, false, "--allow Bash"},
		{"an allow rule answers", nil, []Rule{{"Bash", Allow}}, true, ""},
		{"a deny rule answers", says(Answer{Allow: true}), []Rule{{"Bash", Deny}}, false, "--deny Bash"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o := Options{Tools: []Tool{addTool()}, Asker: tt.asker, Policy: Policy{tt.rules}}
			inSession(t, o, rehearsal.Options{Script: script}, func(t *testing.T, s *Session, a *rehearsal.Agent) {
				res := query(t, s, "list the files")
				if (len(res.PermissionDenials) == 0) != tt.allow || !strings.Contains(res.Text, tt.says) {
					t.Errorf("got %+v", res)
				}
			})
		})
	}
}

func TestAnswerForTheSession(t *testing.T) {
	var ran atomic.Int32
	p := says(Answer{Allow: true, Session: true})
	inSession(t, Options{Tools: []Tool{dangerous("boom", &ran)}, Asker: p}, rehearsal.Options{}, func(t *testing.T, s *Session, a *rehearsal.Agent) {
		query(t, s, "go/boom\ngo/boom")
		query(t, s, "go/boom")
		if ran.Load() != 3 || len(p.questions()) != 1 {
			t.Errorf("ran %d times, asked %d times", ran.Load(), len(p.questions()))
		}
	})
}

func TestWhatTheGateRefusesIsNotAsked(t *testing.T) {
	var ran atomic.Int32
	p := says(Answer{Allow: true})
	script := []rehearsal.Turn{{Steps: []rehearsal.Step{
		{Calls: []rehearsal.ToolUse{{Name: "mcp__go__boom", Input: `{"no":"such"}`}}}, {Text: "$RESULT"},
	}}}
	tool := dangerous("boom", &ran)
	tool.Definition.InputSchema = json.RawMessage(`{"type":"object","properties":{},"required":[],"additionalProperties":false}`)
	inSession(t, Options{Tools: []Tool{tool}, Asker: p}, rehearsal.Options{Script: script}, func(t *testing.T, s *Session, a *rehearsal.Agent) {
		res := query(t, s, "go")
		if len(p.questions()) != 0 || ran.Load() != 0 || !strings.Contains(res.Text, "no") {
			t.Errorf("asked %d times, ran %d times: %q", len(p.questions()), ran.Load(), res.Text)
		}
	})
}

// blocking is a tool that runs until its context ends, and tells when it began and why it ended.
func blocking() (Tool, chan struct{}, chan error) {
	began, ended := make(chan struct{}, 16), make(chan error, 16)
	return raw("wait", func(ctx context.Context, _ json.RawMessage) (*mcp.CallToolResult, error) {
		began <- struct{}{}
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil, ctx.Err()
	}), began, ended
}

func TestStoppingEarlyInterruptsTheTurn(t *testing.T) {
	for _, tt := range []struct {
		name string
		stop func(ctx context.Context, s *Session) error
	}{
		{"a consumer that breaks off", func(ctx context.Context, s *Session) error {
			for m, err := range s.Query(ctx, "go/wait") {
				if err != nil {
					return err
				}
				if len(m.ToolUses()) > 0 {
					break
				}
			}
			return nil
		}},
		{"a context that ends", func(ctx context.Context, s *Session) error {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			if _, err := tryQuery(ctx, s, "go/wait"); !errors.Is(err, context.DeadlineExceeded) {
				return fmt.Errorf("got %v", err)
			}
			return nil
		}},
		{"Interrupt", func(ctx context.Context, s *Session) error {
			var res *control.Result
			for m, err := range s.Query(ctx, "go/wait") {
				if err != nil {
					return err
				}
				if len(m.ToolUses()) > 0 {
					if err := s.Interrupt(ctx); err != nil {
						return err
					}
				}
				res, _ = m.Result()
			}
			if res == nil || res.Subtype != "error_during_execution" {
				return fmt.Errorf("result %+v", res)
			}
			return nil
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool, began, ended := blocking()
			o := Options{Tools: []Tool{tool, addTool()}, CallTimeout: -1}
			inSession(t, o, rehearsal.Options{}, func(t *testing.T, s *Session, a *rehearsal.Agent) {
				if err := tt.stop(t.Context(), s); err != nil {
					t.Fatal(err)
				}
				if len(began) > 0 {
					<-began
					if err := <-ended; err == nil {
						t.Error("the call was not cancelled")
					}
				}
				if res := query(t, s, "go/add a=1 b=1"); res.Text != "1 + 1 = 2" {
					t.Errorf("the next query got %+v", res)
				}
			})
		})
	}
}

func TestCloseEndsWhatRuns(t *testing.T) {
	for _, tt := range []struct {
		name  string
		agent rehearsal.Options
		took  time.Duration // at most
	}{
		{"a CLI that goes at the end of its input", rehearsal.Options{}, time.Second},
		{"a CLI that answers no interrupt", rehearsal.Options{IgnoreInterrupt: true}, 20 * time.Second},
		{"a CLI that stays at the end of its input", rehearsal.Options{IgnoreEOF: true}, 20 * time.Second},
		{"a CLI that stays at SIGTERM", rehearsal.Options{IgnoreEOF: true, IgnoreTerminate: true}, 30 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tool, began, ended := blocking()
				h := newHost(t, Options{Tools: []Tool{tool}, CallTimeout: -1})
				s, err := h.Start(context.WithoutCancel(t.Context()), SessionOptions{Peer: rehearsal.Start(context.WithoutCancel(t.Context()), tt.agent)})
				if err != nil {
					t.Fatal(err)
				}
				got := make(chan error, 1)
				go func() {
					_, err := tryQuery(context.WithoutCancel(t.Context()), s, "go/wait")
					got <- err
				}()
				<-began
				start := time.Now()
				for range 3 {
					if err := s.Close(); err != nil {
						t.Errorf("close: %v", err)
					}
				}
				if took := time.Since(start); took > tt.took {
					t.Errorf("closing took %s", took)
				}
				if err := <-ended; err == nil {
					t.Error("the call was not cancelled")
				}
				// The query got the result of the interrupted turn, or the end.
				if err := <-got; err != nil && !errors.Is(err, control.ErrClosed) {
					if _, ok := errors.AsType[*control.ExitError](err); !ok {
						t.Errorf("the query got %v", err)
					}
				}
				if _, err := tryQuery(context.WithoutCancel(t.Context()), s, "more"); err == nil {
					t.Error("a query after the end succeeded")
				}
			})
		})
	}
}

func TestContextOfStartEndsTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool, began, ended := blocking()
		h := newHost(t, Options{Tools: []Tool{tool}, CallTimeout: -1})
		ctx, cancel := context.WithCancel(t.Context())
		s, err := h.Start(ctx, SessionOptions{Peer: rehearsal.Start(context.WithoutCancel(t.Context()), rehearsal.Options{})})
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan error, 1)
		go func() {
			_, err := tryQuery(ctx, s, "go/wait")
			got <- err
		}()
		<-began
		cancel()
		if err := <-got; !errors.Is(err, context.Canceled) {
			t.Errorf("the query got %v", err)
		}
		<-ended
		<-s.done // without Close
	})
}

func TestCLIsThatFail(t *testing.T) {
	stderr := []string{"error: unknown option '--nonsense'"}
	for _, tt := range []struct {
		name  string
		agent rehearsal.Options
		says  []string
		is    error
	}{
		{"it exits at once", rehearsal.Options{ExitAtOnce: 3, Stderr: stderr}, []string{"3", stderr[0]}, nil},
		{"it never answers initialize", rehearsal.Options{Silent: true, Stderr: stderr}, []string{"initialize", stderr[0]}, control.ErrTimeout},
		{"it never reads", rehearsal.Options{Deaf: true}, nil, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost(t, Options{Tools: []Tool{addTool()}})
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
				defer cancel()
				began := time.Now()
				_, err := h.Start(ctx, SessionOptions{Peer: rehearsal.Start(context.WithoutCancel(t.Context()), tt.agent)})
				if err == nil {
					t.Fatal("it started")
				}
				for _, s := range tt.says {
					if !strings.Contains(err.Error(), s) {
						t.Errorf("%q lacks %q", err, s)
					}
				}
				if tt.is != nil && !errors.Is(err, tt.is) {
					t.Errorf("%v is no %v", err, tt.is)
				}
				if took := time.Since(began); took > 6*time.Minute {
					t.Errorf("it took %s", took)
				}
			})
		})
	}
}

func TestLineAboveTheLimitEndsTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{Tools: []Tool{addTool()}})
		a := rehearsal.Start(context.WithoutCancel(t.Context()), rehearsal.Options{HugeLine: 2 << 20})
		s, err := h.Start(context.WithoutCancel(t.Context()), SessionOptions{Peer: a, Conn: control.Options{MaxLine: 1 << 20}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = tryQuery(t.Context(), s, "go/add a=1 b=2")
		if _, ok := errors.AsType[*protocol.LineTooLongError](err); !ok {
			t.Errorf("the query got %v", err)
		}
		if err := s.Close(); err == nil {
			t.Error("close tells nothing")
		}
	})
}

func TestCLIThatDiesMidway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tool, began, ended := blocking()
		h := newHost(t, Options{Tools: []Tool{tool}, CallTimeout: -1})
		a := rehearsal.Start(context.WithoutCancel(t.Context()), rehearsal.Options{Stderr: []string{"out of memory"}, ExitCode: 9})
		s, err := h.Start(context.WithoutCancel(t.Context()), SessionOptions{Peer: a})
		if err != nil {
			t.Fatal(err)
		}
		got := make(chan error, 1)
		go func() {
			_, err := tryQuery(context.WithoutCancel(t.Context()), s, "go/wait")
			got <- err
		}()
		<-began
		if err := a.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err == nil {
			t.Error("the call was not cancelled")
		}
		err = <-got
		exit, ok := errors.AsType[*control.ExitError](err)
		if !ok || !strings.Contains(exit.Error(), "out of memory") {
			t.Errorf("the query got %v", err)
		}
		if err := s.Close(); err == nil {
			t.Error("close tells nothing")
		}
	})
}

func TestExitAfterAFailedResultIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost(t, Options{})
		a := rehearsal.Start(context.WithoutCancel(t.Context()), rehearsal.Options{Script: []rehearsal.Turn{
			{Ending: &rehearsal.Ending{Subtype: "error_max_turns"}},
		}})
		s, err := h.Start(context.WithoutCancel(t.Context()), SessionOptions{Peer: a})
		if err != nil {
			t.Fatal(err)
		}
		if res := query(t, s, "go"); !res.Failed() {
			t.Errorf("got %+v", res)
		}
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
}

func TestListForTheCLI(t *testing.T) {
	tool := addTool()
	for _, tt := range []struct {
		name   string
		agent  rehearsal.Options
		always bool
	}{
		{"an old CLI gets no _meta", rehearsal.Options{Old: true}, false},
		{"a current CLI is told to load the tool at once", rehearsal.Options{}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inSession(t, Options{Tools: []Tool{tool}}, tt.agent, func(t *testing.T, s *Session, a *rehearsal.Agent) {
				query(t, s, "go/add a=1 b=2")
				view := &serverView{s, "go"}
				list := string(view.ToolList())
				if strings.Contains(list, `"anthropic/alwaysLoad":true`) != tt.always || !strings.Contains(list, `"name":"add"`) {
					t.Errorf("got %s", list)
				}
				if again := view.ToolList(); &again[0] != &view.ToolList()[0] {
					t.Error("the list is encoded more than once")
				}
			})
		})
	}
}

func TestUnknownServer(t *testing.T) {
	s := &Session{}
	_, err := s.MCPMessage(t.Context(), "x", &protocol.Request{ID: json.RawMessage("1"), Method: "tools/list"})
	rpc, ok := errors.AsType[*protocol.Error](err)
	if !ok || rpc.Code != protocol.CodeMethodNotFound || rpc.Message != "Server 'x' not found" {
		t.Errorf("got %v", err)
	}
	if res, err := s.MCPMessage(t.Context(), "x", &protocol.Request{Method: "notifications/initialized"}); res != nil || err != nil {
		t.Errorf("a notification got %v, %v", res, err)
	}
}

func TestRestWaitsForDelegatedTasks(t *testing.T) {
	later := make(chan struct{})
	script := []rehearsal.Turn{{Steps: []rehearsal.Step{
		{Lines: []string{`{"type":"system","subtype":"task_started","task_id":"t1","task_type":"local_agent"}`}, Text: "begun"},
	}}}
	inSession(t, Options{}, rehearsal.Options{Script: script}, func(t *testing.T, s *Session, a *rehearsal.Agent) {
		query(t, s, "delegate")
		go func() {
			time.Sleep(time.Minute)
			s.Message(control.Message{Type: "system", Subtype: "task_notification", Raw: json.RawMessage(
				`{"type":"system","subtype":"task_notification","task_id":"t1","status":"completed"}`)})
			close(later)
		}()
		began := time.Now()
		var kinds []string
		for m, err := range s.Rest(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			kinds = append(kinds, m.Subtype)
		}
		<-later
		if took := time.Since(began); took != time.Minute || !slices.Contains(kinds, "task_notification") {
			t.Errorf("%s after %s", kinds, took)
		}
	})
	t.Run("a task that never ends is given up", func(t *testing.T) {
		inSession(t, Options{}, rehearsal.Options{Script: script}, func(t *testing.T, s *Session, a *rehearsal.Agent) {
			query(t, s, "delegate")
			began := time.Now()
			for _, err := range s.Rest(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(began); took != 10*time.Minute {
				t.Errorf("waited %s", took)
			}
		})
	})
	t.Run("without tasks it is at once", func(t *testing.T) {
		inSession(t, Options{Tools: []Tool{addTool()}}, rehearsal.Options{}, func(t *testing.T, s *Session, a *rehearsal.Agent) {
			query(t, s, "go/add a=1 b=2")
			began := time.Now()
			for _, err := range s.Rest(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
			}
			if took := time.Since(began); took != 0 {
				t.Errorf("waited %s", took)
			}
		})
	})
}

func TestQueriesWaitForEachOther(t *testing.T) {
	inSession(t, Options{Tools: []Tool{addTool()}}, rehearsal.Options{}, func(t *testing.T, s *Session, a *rehearsal.Agent) {
		got := make(chan string, 10)
		for i := range 10 {
			go func() {
				res, err := tryQuery(context.WithoutCancel(t.Context()), s, fmt.Sprintf("go/add a=%d b=0", i))
				if err != nil || !strings.HasPrefix(res.Text, fmt.Sprintf("%d +", i)) {
					got <- fmt.Sprintf("query %d got %+v, %v", i, res, err)
					return
				}
				got <- ""
			}()
		}
		for range 10 {
			if s := <-got; s != "" {
				t.Error(s)
			}
		}
	})
}

func TestProgramThatIsNoCLI(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	for _, tt := range []struct {
		name, script string
		says         []string
	}{
		{"it exits at once", "echo 'error: unknown option' >&2; exit 3", []string{"3", "error: unknown option"}},
		{"it exits at once and in silence", "exit 0", []string{"ended with exit code 0"}},
		{"it talks of other things", "echo hello; echo world >&2; exit 1", []string{"world"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "claude")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+tt.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			h := newHost(t, Options{Tools: []Tool{addTool()}})
			_, err := h.Start(t.Context(), SessionOptions{Command: control.Command{Path: program}})
			if err == nil {
				t.Fatal("it started")
			}
			for _, s := range tt.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%q lacks %q", err, s)
				}
			}
		})
	}
}

func TestManyCallsOfOneMessage(t *testing.T) {
	const n = 200
	uses := func(tool string) []rehearsal.ToolUse {
		var out []rehearsal.ToolUse
		for i := range n {
			out = append(out, rehearsal.ToolUse{Name: tool, Input: fmt.Sprintf(`{"n":%d}`, i)})
		}
		return out
	}
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	t.Run("they run at the same time", func(t *testing.T) {
		var here atomic.Int32
		all := make(chan struct{})
		tool := raw("meet", func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) {
			if here.Add(1) == n {
				close(all)
			}
			<-all
			return mcp.TextResult("met"), nil
		})
		tool.Definition.InputSchema = schema
		script := []rehearsal.Turn{{Steps: []rehearsal.Step{{Calls: uses("mcp__go__meet")}, {Text: "$RESULT"}}}}
		inSession(t, Options{Tools: []Tool{tool}, Limits: Limits{Calls: n}}, rehearsal.Options{Script: script, Parallel: true}, func(t *testing.T, s *Session, a *rehearsal.Agent) {
			if res := query(t, s, "go"); res.Text != "met" || here.Load() != n {
				t.Errorf("%d met: %+v", here.Load(), res)
			}
		})
	})
	t.Run("each is asked about once, one after the other", func(t *testing.T) {
		var ran atomic.Int32
		tool := dangerous("boom", &ran)
		tool.Definition.InputSchema = schema
		p := &person{answer: func(context.Context, Question) (Answer, error) {
			time.Sleep(time.Second) // of the bubble
			return Answer{Allow: true}, nil
		}}
		script := []rehearsal.Turn{{Steps: []rehearsal.Step{{Calls: uses("mcp__go__boom")}, {Text: "$RESULT"}}}}
		inSession(t, Options{Tools: []Tool{tool}, Limits: Limits{Calls: n}, Asker: p}, rehearsal.Options{Script: script, Parallel: true}, func(t *testing.T, s *Session, a *rehearsal.Agent) {
			query(t, s, "go")
			if ran.Load() != n || len(p.questions()) != n || p.most.Load() != 1 {
				t.Errorf("ran %d, asked %d, up to %d at once", ran.Load(), len(p.questions()), p.most.Load())
			}
		})
	})
}
