//go:build e2e

package e2e

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// slow runs long enough for a change to be noticed while it does.
const (
	slow    = "mcp__demo_tools__slow"
	slowLua = `return tool{ description = "Takes its time", run = function(args, ctx) ctx:sleep("1s") return "slept" end }`
)

// trigger runs actions, in order, each when the text that it waits for has been written again.
type trigger struct {
	mu   sync.Mutex
	all  bytes.Buffer
	from int
	text string
	do   []func()
}

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

// runWhile is run with actions: each call of the tool named slow makes the next of them, while it runs.
func (w *world) runWhile(do []func(), args ...string) outcome {
	w.t.Helper()
	w.file("tools/demo_tools/slow.lua", slowLua)
	cmd := w.command(append([]string{"-v", "--trace", filepath.Join(w.dir, "trace")}, args...)...)
	var stdout bytes.Buffer
	stderr := &trigger{text: "› demo_tools/slow", do: do}
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	o := w.ended(cmd.Run(), &stdout, &stderr.all)
	if w.t.Failed() || os.Getenv("SHOW") != "" {
		w.t.Log(o.stderr)
		b, _ := os.ReadFile(filepath.Join(w.dir, "trace"))
		w.t.Logf("%s", b)
	}
	return o
}

// current reports whether the CLI is not the old one.
func (w *world) current() bool { return w.cli.Version != "2.1.33" }

func TestAnAddedToolReachesTheModel(t *testing.T) {
	const added = "mcp__demo_tools__added"
	everyCLI(t, script(calls(slow, `{}`), says("First."), calls(added, `{}`), says("$RESULT")), func(w *world) {
		o := w.runWhile([]func(){func() {
			w.file("tools/demo_tools/added.lua", `return tool{ description = "New here", run = function() return "at your service" end }`)
		}}, "One", "--prompt", "Two")
		w.want(o, "First.\nat your service\n", 0)
		requests := w.requests(4)
		for i, r := range requests {
			_, has := r.tool(added)
			if want := i >= 2 || i == 1 && w.current(); has != want {
				w.t.Errorf("request %d offers the tool: %v, want %v", i+1, has, want)
			}
		}
		if r := w.result(requests[1]); r.text != "slept" || r.isError {
			w.t.Errorf("the call that ran meanwhile got %+v", r)
		}
	})
}

func TestAChangedToolReachesTheModel(t *testing.T) {
	everyCLI(t, script(calls(slow, `{}`), says("First."), calls(greet, `{"who":"Bob"}`), says("$RESULT")), func(w *world) {
		o := w.runWhile([]func(){func() {
			w.file("tools/demo_tools/greet.lua", `return tool("greet", "Greet whom you like", { who = "string" }, function(args) return "Ahoy, " .. args.who end)`)
		}}, "One", "--prompt", "Two")
		w.want(o, "First.\nAhoy, Bob\n", 0)
		for i, r := range w.requests(4) {
			tool, _ := r.tool(greet)
			changed := tool.Description == "Greet whom you like" && strings.Contains(string(tool.InputSchema), `"who"`)
			if want := i >= 2 || i == 1 && w.current(); changed != want {
				w.t.Errorf("request %d has the change: %v, want %v; %s", i+1, changed, want, tool.InputSchema)
			}
		}
	})
}

func TestAnAddedFolderReachesTheModel(t *testing.T) {
	const added = "mcp__other__added"
	everyCLI(t, script(calls(slow, `{}`), says("First."), calls(added, `{}`), says("$RESULT")), func(w *world) {
		o := w.runWhile([]func(){func() {
			w.file("tools/other/added.lua", `return tool{ description = "New here", run = function() return "at your service" end }`)
		}}, "One", "--prompt", "Two")
		w.want(o, "First.\nat your service\n", 0)
		requests := w.requests(4)
		for i, r := range requests {
			_, has := r.tool(added)
			if want := i >= 2 || i == 1 && w.current(); has != want {
				w.t.Errorf("request %d offers the tool: %v, want %v", i+1, has, want)
			}
		}
		if r := w.result(requests[1]); r.text != "slept" || r.isError {
			w.t.Errorf("the call that ran meanwhile got %+v", r)
		}
	})
}

func TestARemovedToolSaysSo(t *testing.T) {
	everyCLI(t, script(calls(slow, `{}`), calls(greet, `{"name":"Bob"}`), says("$RESULT")), func(w *world) {
		o := w.runWhile([]func(){func() {
			w.file("tools/demo_tools/great.lua", `return tool{ description = "Near by", run = function() return "" end }`)
			os.Remove(filepath.Join(w.dir, "tools/demo_tools/greet.lua"))
		}}, "One")
		if o.code != 0 {
			w.t.Errorf("exit code %d", o.code)
		}
		for i, r := range w.requests(3) {
			_, has := r.tool(greet)
			w.t.Logf("request %d has greet: %v", i, has)
		}
		if r := w.result(w.requests(3)[2]); !r.isError || !strings.Contains(r.text, "removed") || !strings.Contains(r.text, "great") {
			w.t.Errorf("the model got %+v", r)
		}
	})
}

func TestTheCLIWritesATool(t *testing.T) {
	const added = "mcp__demo_tools__added"
	write := func(dir string) reply {
		return calls("Write", fmt.Sprintf(`{"file_path":%q,"content":"return tool{ description = 'New here', run = function() return 'made' end }"}`,
			filepath.Join(dir, "tools/demo_tools/added.lua")))
	}
	everyCLI(t, script(), func(w *world) {
		w.api.replies = []reply{write(w.dir), says("First."), calls(added, `{}`), says("$RESULT")}
		o := w.runWhile(nil, "--allow", "Write", "One", "--prompt", "Two")
		w.want(o, "First.\nmade\n", 0)
		for i, r := range w.requests(4) {
			_, has := r.tool(added)
			if want := i >= 2 || i == 1 && w.current(); has != want {
				w.t.Errorf("request %d offers the tool: %v, want %v", i+1, has, want)
			}
		}
	})
}
