package host

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// person is an Asker whose answers are a function.
type person struct {
	answer func(context.Context, Question) (Answer, error)
	mu     sync.Mutex
	asked  []Question
	inside atomic.Int32
	most   atomic.Int32
}

func (p *person) Ask(ctx context.Context, q Question) (Answer, error) {
	p.most.Store(max(p.most.Load(), p.inside.Add(1)))
	defer p.inside.Add(-1)
	p.mu.Lock()
	p.asked = append(p.asked, q)
	p.mu.Unlock()
	return p.answer(ctx, q)
}

func (p *person) questions() []Question {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Question(nil), p.asked...)
}

func says(a Answer) *person {
	return &person{answer: func(context.Context, Question) (Answer, error) { return a, nil }}
}

func asking(p Asker) *caller {
	return &caller{line: newLine(p), answers: &answers{}, approvals: &approvals{}}
}

var ask = Decision{Behavior: Ask, Reason: "it is destructive", Flag: "--allow ops/deploy"}

func TestSettle(t *testing.T) {
	q := Question{Tool: "ops/deploy", Input: json.RawMessage(`{}`)}
	for _, tt := range []struct {
		name     string
		from     *caller
		decision Decision
		allow    bool
		says     []string
	}{
		{"what is allowed runs, nobody is asked", asking(nil), Decision{Behavior: Allow}, true, nil},
		{"a person's own call is the go-ahead", &caller{person: true}, ask, true, nil},
		{"a person's own call is denied by a rule", &caller{person: true}, Decision{Behavior: Deny, Reason: "the rule --deny ops/* forbids it"}, false, []string{"--deny ops/*"}},
		{"yes", asking(says(Answer{Allow: true})), ask, true, nil},
		{"no", asking(says(Answer{})), ask, false, []string{"A human denied this. Do not retry without asking."}},
		{"no, and why", asking(says(Answer{Message: "not on a Friday"})), ask, false, []string{"A human denied this: not on a Friday."}},
		{"nobody there names the flag", asking(nil), ask, false, []string{"--allow ops/deploy", "headless", "it is destructive"}},
		{"an asker that finds nobody names the flag", asking(&person{answer: func(context.Context, Question) (Answer, error) { return Answer{}, ErrNobody }}), ask, false, []string{"--allow ops/deploy", "headless"}},
		{"nobody there and an ask rule: no flag would help", asking(nil), Decision{Behavior: Ask, Reason: "the rule --ask ops/* asks"}, false, []string{"--ask ops/*", "Take the rule back"}},
		{"an asker that fails denies", asking(&person{answer: func(context.Context, Question) (Answer, error) {
			return Answer{Allow: true}, errors.New("the terminal was closed")
		}}), ask, false, []string{"the terminal was closed"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.from.settle(t.Context(), tt.decision, q)
			if err != nil || got.allow != tt.allow {
				t.Fatalf("got %+v, %v", got, err)
			}
			for _, s := range tt.says {
				if !strings.Contains(got.text, s) {
					t.Errorf("%q lacks %q", got.text, s)
				}
			}
		})
	}
}

func TestOnePersonIsAskedOneQuestionAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &person{answer: func(context.Context, Question) (Answer, error) {
			time.Sleep(time.Second)
			return Answer{Allow: true}, nil
		}}
		from := asking(p)
		var wg sync.WaitGroup
		for range 20 {
			wg.Go(func() {
				if got, err := from.settle(t.Context(), ask, Question{Tool: "ops/deploy"}); err != nil || !got.allow {
					t.Errorf("got %v, %v", got, err)
				}
			})
		}
		wg.Wait()
		if most := p.most.Load(); most != 1 || len(p.questions()) != 20 {
			t.Errorf("%d questions, up to %d at once", len(p.questions()), most)
		}
	})
}

func TestAnswerForTheSessionSettlesTheCallsInLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &person{answer: func(context.Context, Question) (Answer, error) {
			time.Sleep(time.Second)
			return Answer{Allow: true, Session: true}, nil
		}}
		from := asking(p)
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() { _, _ = from.settle(t.Context(), ask, Question{Tool: "ops/deploy"}) })
		}
		wg.Wait()
		if n := len(p.questions()); n != 1 {
			t.Errorf("asked %d times", n)
		}
		if _, err := from.settle(t.Context(), ask, Question{Tool: "ops/other"}); err != nil || len(p.questions()) != 2 {
			t.Errorf("another tool was not asked about: %v", err)
		}
	})
}

func TestCancelledCallLeavesTheLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		p := &person{answer: func(context.Context, Question) (Answer, error) {
			<-release
			return Answer{Allow: true}, nil
		}}
		from := asking(p)
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = from.settle(t.Context(), ask, Question{Tool: "first"}) })
		synctest.Wait()
		ctx, cancel := context.WithCancelCause(t.Context())
		withdrawn := errors.New("withdrawn")
		wg.Go(func() {
			if _, err := from.settle(ctx, ask, Question{Tool: "second"}); !errors.Is(err, withdrawn) {
				t.Errorf("got %v", err)
			}
		})
		synctest.Wait()
		cancel(withdrawn)
		synctest.Wait()
		close(release)
		wg.Wait()
		if q := p.questions(); len(q) != 1 || q[0].Tool != "first" {
			t.Errorf("asked %v", q)
		}
	})
}

func TestQuestionEndsWithItsCall(t *testing.T) {
	p := &person{answer: func(ctx context.Context, _ Question) (Answer, error) {
		<-ctx.Done()
		return Answer{Allow: true}, nil // too late to count
	}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if got, err := asking(p).settle(ctx, ask, Question{}); !errors.Is(err, context.DeadlineExceeded) || got.allow {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestApprovals(t *testing.T) {
	tool := ToolName{"ops", "deploy"}
	yes, no := verdict{allow: true}, verdict{text: "A human denied this."}
	input := json.RawMessage(`{"env":"prod","n":1}`)
	for _, tt := range []struct {
		name     string
		said     verdict
		id       string
		tool     ToolName
		input    string
		ok       bool
		thenOnce bool // a second take finds nothing
	}{
		{"a yes counts for its call, once", yes, "t1", tool, `{"env":"prod","n":1}`, true, true},
		{"order and spelling do not matter", yes, "t1", tool, `{"n":1.0, "env":"\u0070rod"}`, true, true},
		{"another input is another call", yes, "t1", tool, `{"env":"prod","n":2}`, false, false},
		{"one member more is another call", yes, "t1", tool, `{"env":"prod","n":1,"force":true}`, false, false},
		{"another tool is another call", yes, "t1", ToolName{"ops", "delete"}, `{"env":"prod","n":1}`, false, false},
		{"another id is another call", yes, "t2", tool, `{"env":"prod","n":1}`, false, false},
		{"no id is no approval", yes, "", tool, `{"env":"prod","n":1}`, false, false},
		{"a no holds, so that nobody is asked again", no, "t1", tool, `{"env":"prod","n":1}`, true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var a approvals
			a.remember("t1", tool, input, tt.said)
			got, ok := a.take(tt.id, tt.tool, json.RawMessage(tt.input))
			if ok != tt.ok || ok && got != tt.said {
				t.Fatalf("got %v, %v", got, ok)
			}
			if ok {
				if _, again := a.take(tt.id, tt.tool, input); again == tt.thenOnce {
					t.Errorf("the second time: %v", again)
				}
			}
		})
	}
}

func TestApprovalsAreForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a approvals
		a.remember("old", ToolName{"s", "t"}, json.RawMessage(`{}`), verdict{allow: true})
		time.Sleep(approvalLife + time.Second)
		if _, ok := a.take("old", ToolName{"s", "t"}, json.RawMessage(`{}`)); ok {
			t.Error("an old yes still counts")
		}
	})
}

func TestApprovalsAreBounded(t *testing.T) {
	var a approvals
	for i := range 10 * maxApprovals {
		a.remember("id"+string(rune('a'+i%26))+strings.Repeat("x", i%97), ToolName{"s", "t"}, json.RawMessage(`{}`), verdict{allow: true})
	}
	if len(a.m) > maxApprovals || len(a.order) > maxApprovals {
		t.Errorf("%d entries, %d in order", len(a.m), len(a.order))
	}
}

func FuzzSameJSON(f *testing.F) {
	f.Add([]byte(`{"a":[1,2.50,null],"b":"x"}`))
	f.Add([]byte(`[9007199254740993, 1e2, -0]`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 1000 || strings.ContainsAny(string(b), "eE") {
			return // exponents are bounded before this is asked
		}
		var v any
		if decodeExact(b, &v) != nil {
			return
		}
		again, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if !json.Valid(b) {
			return // something follows the first value
		}
		if !sameJSON(b, again) || !sameJSON(again, b) {
			t.Errorf("%s is not %s", b, again)
		}
	})
}
