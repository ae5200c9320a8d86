//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const greet = "mcp__demo_tools__greet"

// The whole road: a Lua file in a folder is offered to the model, called, and its text reaches the model.
func TestTheModelCallsALuaTool(t *testing.T) {
	everyCLI(t, script(calls(greet, `{"name":"Alice"}`), says("I greeted Alice: $RESULT")), func(w *world) {
		o := w.run("Please greet Alice.")
		w.want(o, "I greeted Alice: Hello, Alice! Welcome.\n", 0, "demo_tools/greet", `{"name":"Alice"}`, "1 tool call")
		requests := w.requests(2)
		w.isWhole(requests[0], greet, "Greet someone by name", `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)
		if r := w.result(requests[1]); r.text != "Hello, Alice! Welcome." || r.isError {
			w.t.Errorf("the model got %+v", r)
		}
		if users := strings.Join(requests[0].users, "\n"); !strings.Contains(users, "Please greet Alice.") {
			w.t.Errorf("the model did not get the prompt: %q", users)
		}
	})
}

// isWhole checks that a tool was offered with its whole definition, and not deferred.
func (w *world) isWhole(r request, name, description, schema string) {
	w.t.Helper()
	tool, ok := r.tool(name)
	if !ok {
		w.t.Fatalf("the model was not offered %s, but %q", name, r.toolNames())
	}
	if tool.DeferLoading {
		w.t.Errorf("%s is deferred", name)
	}
	var got, want map[string]any
	if err := json.Unmarshal([]byte(schema), &want); err != nil {
		w.t.Fatal(err)
	}
	if err := json.Unmarshal(tool.InputSchema, &got); err != nil {
		w.t.Fatalf("the schema of %s: %v", name, err)
	}
	delete(got, "$schema")
	delete(got, "additionalProperties")
	if tool.Description != description || !reflect.DeepEqual(got, want) {
		w.t.Errorf("the model was offered %q with %s, want %q with %s", tool.Description, tool.InputSchema, description, schema)
	}
}

// A tool that says always_load = false is found by search in current CLIs, and costs nothing until then; 2.1.33 knows
// no search for tools of a host.
func TestAToolMayBeDeferred(t *testing.T) {
	everyCLI(t, script(says("Good.")), func(w *world) {
		w.file("tools/demo_tools/rare.lua", `return tool{ description = "Seldom of use", always_load = false, run = function() return "x" end }`)
		w.want(w.run("Hello"), "Good.\n", 0)
		r := w.requests(1)[0]
		tool, offered := r.tool("mcp__demo_tools__rare")
		if whole := offered && !tool.DeferLoading; whole != (w.cli.Version == "2.1.33") {
			w.t.Errorf("the tool was offered as a whole: %v; tools %q", whole, r.toolNames())
		}
		if tool, ok := r.tool(greet); !ok || tool.DeferLoading {
			w.t.Errorf("the other tool must not be deferred: %q", r.toolNames())
		}
	})
}

// Arguments that do not fit are an error that the model can read and mend; the run goes on.
func TestTheModelMendsItsArguments(t *testing.T) {
	everyCLI(t, script(calls(greet, `{"who":"Alice"}`), calls(greet, `{"name":"Alice"}`), says("$RESULT")), func(w *world) {
		o := w.run("Please greet Alice.")
		w.want(o, "Hello, Alice! Welcome.\n", 0, "2 tool calls")
		requests := w.requests(3)
		if r := w.result(requests[1]); !r.isError || !strings.Contains(r.text, "name") {
			w.t.Errorf("the model got %+v", r)
		}
		if r := w.result(requests[2]); r.isError {
			w.t.Errorf("the model got %+v", r)
		}
	})
}

// Without a terminal nobody can be asked, so the CLI's own tools are denied, and the denial names the flag.
func TestTheCLIsToolsNeedARule(t *testing.T) {
	touch := calls("Bash", `{"command":"touch made-by-bash","description":"make a file"}`)
	for _, tt := range []struct {
		name  string
		flags []string
		made  bool
		text  string // of the tool result
	}{
		{"Bash is denied, and the denial names the flag", nil, false, "--allow Bash"},
		{"a rule allows it", []string{"--allow", "Bash"}, true, ""},
		{"a deny rule wins over it", []string{"--allow", "Bash", "--deny", "Bash"}, false, "Bash"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			everyCLI(t, script(touch, says("That was it.")), func(w *world) {
				o := w.run(append(tt.flags, "Make a file.")...)
				w.want(o, "That was it.\n", 0) // a success with denials is a success
				if r := w.result(w.requests(2)[1]); r.isError == tt.made || !strings.Contains(r.text, tt.text) {
					w.t.Errorf("the model got %+v", r)
				}
				if _, err := os.Stat(filepath.Join(w.dir, "made-by-bash")); (err == nil) != tt.made {
					w.t.Errorf("the file: %v", err)
				}
			})
		})
	}
}

const deploy = `return tool{
  description = "Deploy the site.",
  input = { target = param.enum("Where to", { "staging", "production" }) },
  permissions = { run = { "rsync" } },
  run = function(args) return "deployed to " .. args.target end,
}
`

// A tool that declares a right is offered like any other, and denied where nobody can be asked.
func TestAToolThatDeclaresARightNeedsARule(t *testing.T) {
	const name = "mcp__ops__deploy"
	for _, tt := range []struct {
		name    string
		flags   []string
		isError bool
		text    string
	}{
		{"it is denied, and the denial names the flag", nil, true, "--allow ops/deploy"},
		{"a rule allows it", []string{"--allow", "ops/deploy"}, false, "deployed to staging"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			everyCLI(t, script(calls(name, `{"target":"staging"}`), says("So it is.")), func(w *world) {
				w.file("tools/ops/deploy.lua", deploy)
				o := w.run(append(tt.flags, "Deploy the site.")...)
				w.want(o, "So it is.\n", 0)
				requests := w.requests(2)
				if _, ok := requests[0].tool(name); !ok {
					w.t.Errorf("the model was not offered %s, but %q", name, requests[0].toolNames())
				}
				if r := w.result(requests[1]); r.isError != tt.isError || !strings.Contains(r.text, tt.text) {
					w.t.Errorf("the model got %+v, want %q", r, tt.text)
				}
			})
		})
	}
}

func TestTwoPromptsShareASession(t *testing.T) {
	everyCLI(t, script(says("First answer."), calls(greet, `{"name":"Bob"}`), says("Second: $RESULT")), func(w *world) {
		o := w.run("The first question.", "--prompt", "The second question.")
		w.want(o, "First answer.\nSecond: Hello, Bob! Welcome.\n", 0)
		users := strings.Join(w.requests(3)[1].users, "\n")
		for _, want := range []string{"The first question.", "The second question."} {
			if !strings.Contains(users, want) {
				w.t.Errorf("the second turn lacks %q: %q", want, users)
			}
		}
	})
}

func TestThePromptMayComeFromStdin(t *testing.T) {
	everyCLI(t, script(says("Read.")), func(w *world) {
		cmd := w.command()
		cmd.Stdin = strings.NewReader("A question\nof two lines.\n")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		w.want(w.ended(cmd.Run(), &stdout, &stderr), "Read.\n", 0)
		if users := strings.Join(w.requests(1)[0].users, "\n"); !strings.Contains(users, "A question\nof two lines.") {
			w.t.Errorf("the model got %q", users)
		}
	})
}

// An error_max_turns of an old CLI looks like a success: is_error false and exit code 0.
func TestTooManyTurns(t *testing.T) {
	again := calls(greet, `{"name":"Alice"}`)
	everyCLI(t, script(again, again, again, again), func(w *world) {
		w.want(w.run("--max-turns", "2", "Greet for ever."), "", 7, "error:")
		w.requests(2)
	})
}

func TestTheSystemPromptIsReplaced(t *testing.T) {
	everyCLI(t, script(says("Aye.")), func(w *world) {
		w.want(w.run("--system-prompt", "You are a lighthouse keeper.", "Hello"), "Aye.\n", 0)
		if system := w.requests(1)[0].system; !strings.Contains(system, "You are a lighthouse keeper.") {
			w.t.Errorf("the system prompt is %.200q", system)
		}
	})
}

func TestFailuresOfTheAPI(t *testing.T) {
	for _, tt := range []struct {
		name   string
		status int
		kind   string
		code   int
		stderr string
	}{
		{"a key that is refused is a CLI that is not logged in", 401, "authentication_error", 5, "log in"},
		{"an error of the API is a failure", 500, "api_error", 1, "error:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			refused := slices.Repeat([]reply{{status: tt.status, kind: tt.kind}}, 20) // some are asked for again all the same
			everyCLI(t, script(refused...), func(w *world) {
				w.want(w.run("Hello"), "", tt.code, tt.stderr)
			})
		})
	}
}

func TestRawMessages(t *testing.T) {
	everyCLI(t, script(calls(greet, `{"name":"Alice"}`), says("Done.")), func(w *world) {
		o := w.run("--json", "Please greet Alice.")
		if o.code != 0 {
			w.t.Fatalf("exit code %d:\n%s", o.code, o.stderr)
		}
		seen := map[string]bool{}
		for line := range strings.Lines(o.stdout) {
			var m struct{ Type, Subtype string }
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				w.t.Fatalf("a line of --json is none: %q", line)
			}
			seen[strings.TrimSuffix(m.Type+"/"+m.Subtype, "/")] = true
		}
		for _, want := range []string{"system/init", "assistant", "user", "result/success"} {
			if !seen[want] {
				w.t.Errorf("--json lacks %s: %v", want, seen)
			}
		}
		if seen["control_request"] || seen["control_response"] {
			w.t.Error("--json must not show the control protocol")
		}
	})
}

// Ctrl-C reaches luatools alone; the CLI is told by the protocol, and nothing of it is left.
func TestInterrupt(t *testing.T) {
	never := make(chan struct{})
	everyCLI(t, script(reply{hold: never}), func(w *world) {
		cmd := w.command("Think for ever.")
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			w.t.Fatal(err)
		}
		w.eventually("the model is asked", func() bool { return len(w.api.main()) == 1 })
		began := time.Now()
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			w.t.Fatal(err)
		}
		w.want(w.ended(cmd.Wait(), &stdout, &stderr), "", 130)
		if took := time.Since(began); took > 15*time.Second {
			w.t.Errorf("the end took %s", took)
		}
		w.eventually("the CLI has ended", func() bool { return len(w.processes()) == 0 })
	})
}

// A CLI whose host is killed sees its stdin close and ends by itself.
func TestAKilledHostLeavesNoCLI(t *testing.T) {
	never := make(chan struct{})
	everyCLI(t, script(reply{hold: never}), func(w *world) {
		cmd := w.command("Think for ever.")
		if err := cmd.Start(); err != nil {
			w.t.Fatal(err)
		}
		w.eventually("the model is asked", func() bool { return len(w.api.main()) == 1 })
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
		w.api.CloseClientConnections() // else the CLI waits for the model
		w.eventually("the CLI has ended", func() bool { return len(w.processes()) == 0 })
	})
}

// eventually waits for a state of other processes, which tell nobody when they reach it.
func (w *world) eventually(what string, is func() bool) {
	w.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(60 * time.Second)
	for !is() {
		select {
		case <-tick.C:
		case <-limit:
			w.t.Fatalf("waited a minute for this: %s", what)
		}
	}
}

// processes lists the processes whose environment has the world's home: what was started in it and still lives.
func (w *world) processes() []string {
	var pids []string
	dirs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, f := range dirs {
		env, err := os.ReadFile(f)
		if err == nil && bytes.Contains(env, fmt.Appendf(nil, "HOME=%s\x00", w.home)) {
			pids = append(pids, filepath.Base(filepath.Dir(f)))
		}
	}
	return pids
}
