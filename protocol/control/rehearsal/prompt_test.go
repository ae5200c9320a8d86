package rehearsal

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// A prompt that spells out calls makes them; any other is answered with what can be called.
func TestPrompts(t *testing.T) {
	deny := func(l agentLine) string {
		if l.Request.Subtype == "can_use_tool" {
			return `{"behavior":"deny","message":"use --allow demo/greet"}`
		}
		return ""
	}
	for _, tt := range []struct {
		name    string
		o       Options
		servers []string
		reply   func(agentLine) string
		prompt  string
		want    string // the result; "…" at its end cuts
		calls   []string
		isError bool
		denials int
		code    int
	}{
		{name: "a bare name is enough when one server has the tool", prompt: "greet name=Alice", want: "Hello, Alice!", calls: []string{`{"name":"Alice"}`}},
		{name: "the server may be named", prompt: "demo/greet name=Alice", want: "Hello, Alice!", calls: []string{`{"name":"Alice"}`}},
		{name: "the model's name does too", prompt: "mcp__demo__greet name=Alice", want: "Hello, Alice!", calls: []string{`{"name":"Alice"}`}},
		{name: "and so does the name that plain clients see", prompt: "demo_greet name=Alice", want: "Hello, Alice!", calls: []string{`{"name":"Alice"}`}},
		{name: "arguments may be one JSON object", prompt: `greet {"name": "Alice"}`, want: "Hello, Alice!", calls: []string{`{"name":"Alice"}`}},
		{name: "what the schema takes as text stays text", prompt: "greet name=7", want: "Hello, 7!", calls: []string{`{"name":"7"}`}},
		{name: "calls are made in order and answered one below the other", prompt: "greet name=Alice\n\ngreet name=Bob", want: "Hello, Alice!\nHello, Bob!",
			calls: []string{`{"name":"Alice"}`, `{"name":"Bob"}`}},
		{name: "a call that fails makes the result an error, and the others are made", prompt: "fail\ngreet name=Bob", want: "error: no luck\nHello, Bob!",
			calls: []string{`{}`, `{"name":"Bob"}`}, isError: true, code: 1},
		{name: "a denied call is listed in the error", prompt: "greet name=Alice", reply: deny, want: "use --allow demo/greet", isError: true, denials: 1, code: 1},
		{name: "arguments that cannot be read name the line, and nothing is called", prompt: "greet name=Alice\ngreet Bob", want: "line 2: greet: …", isError: true, code: 1},
		{name: "any other prompt is answered with what can be called", prompt: "Please greet Alice.", want: "This is a rehearsal without a model.…"},
		{name: "a line that is no call makes the whole prompt none", prompt: "greet name=Alice\nthen rest", want: "This is a rehearsal without a model.…"},
		{name: "a bare name that two servers have is named as such", servers: []string{"demo", "other"}, prompt: "greet name=Alice",
			want: "line 1: greet is ambiguous: demo/greet, other/greet", isError: true, code: 1},
		{name: "a misspelt tool with arguments names the near one", prompt: "gret name=Alice", want: `line 1: no tool "gret"; did you mean demo/greet?`, isError: true, code: 1},
		{name: "with a JSON object too", prompt: `demo/gret {"name":"Alice"}`, want: `line 1: no tool "demo/gret"; did you mean demo/greet or demo/peek?`, isError: true, code: 1},
		{name: "one that nothing is near to says where the tools are", prompt: "frobnicate name=Alice", want: `line 1: no tool "frobnicate"; a prompt in words lists the tools`, isError: true, code: 1},
		{name: "a word alone that is no tool is a prompt in words", prompt: "gret", want: "This is a rehearsal without a model.…"},
		{name: "one call of several may fail, and their texts stay in order", prompt: "greet name=Alice\nfail\ngreet name=Bob", want: "Hello, Alice!\nerror: no luck\nHello, Bob!",
			calls: []string{`{"name":"Alice"}`, `{}`, `{"name":"Bob"}`}, isError: true, code: 1},
		{name: "with its server it is one", servers: []string{"demo", "other"}, prompt: "other/greet name=Alice", want: "Hello, Alice!", calls: []string{`{"name":"Alice"}`}},
		{name: "all calls may run at the same time", o: Options{Parallel: true}, prompt: "greet name=Alice\ngreet name=Bob", want: "Hello, Alice!\nHello, Bob!",
			calls: []string{`{"name":"Bob"}`, `{"name":"Alice"}`}},
		{name: "a limit of turns ends them", o: Options{MaxTurns: 1}, prompt: "greet name=Alice\ngreet name=Bob", want: "", calls: []string{`{"name":"Alice"}`}, isError: true, code: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := begin(t, tt.o, tt.servers...)
				h.reply = tt.reply
				h.prompt("p1", tt.prompt)
				code := exitCode(h.end())
				r := h.last()
				start, cut := strings.CutSuffix(tt.want, "…")
				if r.Result != tt.want && !(cut && strings.HasPrefix(r.Result, start)) {
					t.Errorf("result %q, want %q", r.Result, tt.want)
				}
				if r.IsError != tt.isError || len(r.Denials) != tt.denials || code != tt.code {
					t.Errorf("exit code %d, want %d: %s", code, tt.code, r.raw)
				}
				if noCall := strings.HasPrefix(tt.want, "This is"); (r.Reason == NoCall) != noCall {
					t.Errorf("terminal_reason %q", r.Reason)
				}
				var calls []string
				for _, c := range h.calls {
					args := c[strings.Index(c, `"arguments":`)+len(`"arguments":`) : strings.Index(c, `,"_meta"`)]
					calls = append(calls, args)
				}
				if tt.o.Parallel {
					slices.Sort(calls)
					slices.Sort(tt.calls)
				}
				if !slices.Equal(calls, tt.calls) {
					t.Errorf("calls %q, want %q", calls, tt.calls)
				}
				h.wantProblems()
			})
		})
	}
}

func TestAPromptThatIsNotUTF8IsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{})
		h.write(`{"type":"user","uuid":"p1","message":{"role":"user","content":"greet name=` + "\xff" + `"},"parent_tool_use_id":null,"session_id":"default"}`)
		synctest.Wait()
		if r := h.last(); !r.IsError || r.Result != "the prompt is not UTF-8" || len(h.calls) != 0 {
			t.Errorf("result %s", r.raw)
		}
		h.end()
	})
}

func TestHelpShowsNamesAndSignatures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{})
		h.prompt("p1", "hello?")
		got := h.last().Result
		for _, want := range []string{"\ndemo/greet(name: string)\n    Greet someone by name", "\ndemo/look()\n    Only reads"} {
			if !strings.Contains(got, want) {
				t.Errorf("help lacks %q:\n%s", want, got)
			}
		}
		h.end()
	})
}

func TestHelpSaysWhenThereIsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := launch(t, Options{})
		h.tools = func(string) string { return "[]" }
		h.initialize()
		h.prompt("p1", "greet name=Alice")
		if got := h.last(); !strings.Contains(got.Result, "there is nothing to call") || got.Reason != NoCall {
			t.Errorf("result %s", got.raw)
		}
		h.end()
		h.wantProblems()
	})
}

func TestTwoPromptsOfOneSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{})
		h.prompt("p1", "fail")
		h.prompt("p2", "greet name=Bob")
		err := h.end()
		rs := h.results()
		if len(rs) != 2 || !rs[0].IsError || rs[1].IsError || rs[1].Result != "Hello, Bob!" || err != nil {
			t.Errorf("Wait() = %v, results %v", err, rs)
		}
	})
}

func TestAPromptThatJoinsIsRehearsedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := begin(t, Options{})
		joined := false
		h.reply = func(l agentLine) string {
			if l.Request.Message.Method == "tools/call" && !joined {
				joined = true
				h.queue("p2", "greet name=Bob")
			}
			return ""
		}
		h.prompt("p1", "greet name=Alice")
		if got := h.last().Result; got != "Hello, Alice!\nHello, Bob!" || len(h.results()) != 1 {
			t.Errorf("result %q", got)
		}
		h.end()
	})
}
