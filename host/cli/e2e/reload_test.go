//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// slow runs long enough for a change to be noticed meanwhile.
const (
	slow    = "mcp__demo_tools__slow"
	slowLua = `return tool{ description = "Takes its time", run = function(args, ctx) ctx:sleep("1s") return "slept" end }`
)

// trigger runs actions one after the other, each when the text that it waits for has been written once more.
type trigger struct {
	mu   sync.Mutex
	all  bytes.Buffer
	from int
	text string
	do   []func()
}

// Write implements [io.Writer].
func (g *trigger) Write(b []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all.Write(b)
	for len(g.do) > 0 {
		i := bytes.Index(g.all.Bytes()[g.from:], []byte(g.text))
		if i < 0 {
			break
		}
		g.from += i + len(g.text)
		next := g.do[0]
		g.do = g.do[1:]
		next()
	}
	return len(b), nil
}

// runWhile is run with actions: each call of the slow tool makes the next of them, while it runs.
func (w *world) runWhile(do []func(), args ...string) outcome {
	w.t.Helper()
	w.file("tools/demo_tools/slow.lua", slowLua)
	cmd := w.command(append([]string{"-v"}, args...)...)
	var stdout bytes.Buffer
	stderr := &trigger{text: "› demo_tools/slow", do: do}
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	return w.ended(cmd.Run(), &stdout, &stderr.all)
}

// current reports whether the CLI is not the old one: then a change reaches the model with its next request, else with its next turn.
func (w *world) current() bool { return w.cli.Version != "2.1.33" }

// arrives checks at which of the requests something is there: from the one numbered first (from 0) with a current CLI, from old with 2.1.33.
func (w *world) arrives(what string, first, old int, is func(*request) bool) {
	w.t.Helper()
	if !w.current() {
		first = old
	}
	for i, r := range w.api.main() {
		if got := is(&r); got != (i >= first) {
			w.t.Errorf("request %d: %s is %v; tools %q", i, what, got, r.toolNames())
		}
	}
}

// offers tells whether the model can call a tool without looking for it first.
func offers(name string) func(*request) bool {
	return func(r *request) bool {
		tool, ok := r.tool(name)
		return ok && (!tool.DeferLoading || slices.Contains(r.added, name))
	}
}

// told checks that -v says in which way the CLI was told.
func (w *world) told(o outcome) {
	w.t.Helper()
	way := "client told by mcp_set_servers in "
	if w.current() {
		way = "client told, relisted in "
	}
	if !strings.Contains(o.stderr, way) {
		w.t.Errorf("stderr lacks %q:\n%s", way, o.stderr)
	}
}

func serviceLua(text string) string {
	return fmt.Sprintf(`return tool{ description = "New here", run = function() return %q end }`, text)
}

// A file is added while a tool runs. The tool that runs is not disturbed.
func TestAnAddedToolReachesTheModel(t *testing.T) {
	for _, tt := range []struct{ name, server, file string }{
		{"in a folder that the CLI knows", "demo_tools", "tools/demo_tools/added.lua"},
		{"in a new folder", "other", "tools/other/added.lua"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			added := "mcp__" + tt.server + "__added"
			everyCLI(t, script(calls(slow, `{}`), says("First."), calls(added, `{}`), says("$RESULT")), func(w *world) {
				o := w.runWhile([]func(){func() { w.file(tt.file, serviceLua("at your service")) }}, "One", "--prompt", "Two")
				w.want(o, "First.\nat your service\n", 0)
				w.told(o)
				if r := w.result(w.requests(4)[1]); r.text != "slept" || r.isError {
					w.t.Errorf("the call that ran meanwhile got %+v", r)
				}
				w.arrives("the tool", 1, 2, offers(added))
			})
		})
	}
}

// A schema and a description that change are as fast as a tool that is added, and so is the way back.
func TestAChangedToolReachesTheModel(t *testing.T) {
	const ahoy = `return tool("greet", "Greet whom you like", { who = "string" }, function(args) return "Ahoy, " .. args.who end)`
	stale := calls(greet, `{"name":"Bob"}`)
	everyCLI(t, script(calls(slow, `{}`), stale, says("First: $RESULT"), calls(greet, `{"who":"Bob"}`), says("$RESULT")), func(w *world) {
		o := w.runWhile([]func(){func() { w.file("tools/demo_tools/greet.lua", ahoy) }}, "One", "--prompt", "Two")
		if o.code != 0 || !strings.HasSuffix(o.stdout, "\nAhoy, Bob\n") {
			w.t.Errorf("stdout %q, exit code %d:\n%s", o.stdout, o.code, o.stderr)
		}
		w.told(o)
		// A call with the former arguments is answered with the signature of now.
		if r := w.result(w.requests(5)[2]); !r.isError || !strings.Contains(r.text, "who: string") {
			w.t.Errorf("the call with the former arguments got %+v", r)
		}
		w.arrives("the change", 1, 3, func(r *request) bool {
			tool, _ := r.tool(greet)
			return tool.Description == "Greet whom you like" && strings.Contains(string(tool.InputSchema), `"who"`)
		})
	})
}

// A description alone is a change too.
func TestAChangedDescriptionReachesTheModel(t *testing.T) {
	everyCLI(t, script(calls(slow, `{}`), says("First."), says("Second.")), func(w *world) {
		path := filepath.Join(w.dir, "tools/demo_tools/greet.lua")
		o := w.runWhile([]func(){func() {
			text, err := os.ReadFile(path)
			if err != nil {
				w.t.Error(err)
			}
			w.file("tools/demo_tools/greet.lua", strings.ReplaceAll(string(text), "Greet someone by name", "Say hello"))
		}}, "One", "--prompt", "Two")
		w.want(o, "First.\nSecond.\n", 0)
		w.requests(3)
		w.arrives("the change", 1, 2, func(r *request) bool {
			tool, _ := r.tool(greet)
			return tool.Description == "Say hello"
		})
	})
}

// A call of a tool that is gone gets our text, with what is near, also from a CLI that still offers it to the model.
func TestARemovedToolSaysSo(t *testing.T) {
	everyCLI(t, script(calls(slow, `{}`), calls(greet, `{"name":"Bob"}`), says("So it is.")), func(w *world) {
		o := w.runWhile([]func(){func() {
			w.file("tools/demo_tools/great.lua", serviceLua(""))
			if err := os.Remove(filepath.Join(w.dir, "tools/demo_tools/greet.lua")); err != nil {
				w.t.Error(err)
			}
		}}, "One")
		w.want(o, "So it is.\n", 0)
		requests := w.requests(3)
		if r := w.result(requests[2]); !r.isError || !strings.Contains(r.text, `tool "greet" was removed: did you mean great?`) {
			w.t.Errorf("the model got %+v", r)
		}
		if tool, _ := requests[1].tool(greet); w.current() && !strings.Contains(tool.Description, "was removed") {
			w.t.Errorf("the model is offered the tool as %q", tool.Description)
		}
	})
}

// What the CLI's own tools write is there with the next request, too.
func TestTheCLIWritesATool(t *testing.T) {
	const added = "mcp__demo_tools__added"
	for _, tt := range []struct {
		tool  string
		input func(path string) string
	}{
		{"Write", func(path string) string {
			return fmt.Sprintf(`{"file_path":%q,"content":%q}`, path, serviceLua("made"))
		}},
		{"Bash", func(path string) string {
			return fmt.Sprintf(`{"command":%q,"description":"make a tool"}`, "printf '%s' '"+serviceLua("made")+"' > "+path)
		}},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			everyCLI(t, script(), func(w *world) {
				path := filepath.Join(w.dir, "tools/demo_tools/added.lua")
				w.api.replies = []reply{calls(tt.tool, tt.input(path)), says("First."), calls(added, `{}`), says("$RESULT")}
				w.want(w.runWhile(nil, "--allow", tt.tool, "One", "--prompt", "Two"), "First.\nmade\n", 0)
				w.requests(4)
				w.arrives("the tool", 1, 2, offers(added))
			})
		})
	}
}

// Twenty reloads in one session, each during a call: a tool is added, and greet gets another description.
func TestTwentyReloads(t *testing.T) {
	const n = 20
	var replies []reply
	var do []func()
	args := []string{"Turn 0"}
	for i := range n {
		replies = append(replies, calls(slow, `{}`), says(fmt.Sprint("Turn ", i)))
		if i > 0 {
			args = append(args, "--prompt", fmt.Sprint("Turn ", i))
		}
	}
	replies = append(replies, calls(fmt.Sprintf("mcp__demo_tools__t%d", n-1), `{}`), says("$RESULT"))
	args = append(args, "--prompt", "And now?")
	description := func(i int) string { return fmt.Sprintf("Greet in the way %d", i) }
	everyCLI(t, script(replies...), func(w *world) {
		do = nil
		for i := range n {
			do = append(do, func() {
				w.file(fmt.Sprintf("tools/demo_tools/t%d.lua", i), serviceLua(fmt.Sprint("tool ", i)))
				w.file("tools/demo_tools/greet.lua", fmt.Sprintf(`return tool("greet", %q, { name = "string" }, function() return "" end)`, description(i)))
			})
		}
		o := w.runWhile(do, args...)
		if o.code != 0 || !strings.HasSuffix(o.stdout, fmt.Sprintf("\ntool %d\n", n-1)) {
			w.t.Errorf("exit code %d, stdout %q:\n%s", o.code, o.stdout, o.stderr)
		}
		requests := w.requests(2*n + 2)
		for i := range n {
			w.arrives(fmt.Sprintf("tool %d", i), 2*i+1, 2*i+2, offers(fmt.Sprintf("mcp__demo_tools__t%d", i)))
			if r := w.result(requests[2*i+1]); r.isError || r.text != "slept" {
				w.t.Errorf("call %d got %+v", i, r)
			}
			next := requests[2*i+2]
			if w.current() {
				next = requests[2*i+1]
			}
			if tool, _ := next.tool(greet); tool.Description != description(i) {
				w.t.Errorf("after reload %d greet is %q", i, tool.Description)
			}
		}
	})
}
