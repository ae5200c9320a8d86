package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/control/rehearsal"
	"github.com/luatools/luatools/protocol/mcp"
	"github.com/luatools/luatools/scripts"
)

// stage is a watched folder and a session that follows it, in a bubble.
type stage struct {
	t        *testing.T
	h        *Host
	s        *Session
	a        *rehearsal.Agent
	dir      string
	reloaded chan struct{} // a token for each reload
	starting string        // a file to be added while the session starts

	mu  sync.Mutex
	log []string
}

const (
	often  = 10 * time.Millisecond // looks at the folder
	seldom = time.Hour             // so that only a rescan finds a change in time
)

// onStage runs f with a session that follows the folder of files, and the Go tools that tools makes. At its end nothing may be left, no
// request may have gone wrong, and no goroutine may run on.
func onStage(t *testing.T, files map[string]string, poll time.Duration, r rehearsal.Options, tools func(*stage) []Tool, f func(*testing.T, *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		st := &stage{t: t, dir: folder(t, files), reloaded: make(chan struct{}, 100)}
		o := Options{Dir: st.dir, CallTimeout: -1, Log: st.note, Asker: says(Answer{Allow: true})}
		if tools != nil {
			o.Tools = tools(st)
		}
		st.h = newHost(t, o)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := st.h.Watch(ctx, scripts.WatchOptions{Poll: poll}, func(*scripts.Reload) { st.reloaded <- struct{}{} }); err != nil {
				t.Errorf("watch: %v", err)
			}
		})
		synctest.Wait() // it has looked at the folder once
		st.a = rehearsal.Start(context.WithoutCancel(t.Context()), r)
		var err error
		if st.s, err = st.h.Start(context.WithoutCancel(t.Context()), SessionOptions{Peer: &startingPeer{st.a, st}, Follow: true}); err != nil {
			t.Fatal(err)
		}
		f(t, st)
		if err := st.s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
		cancel()
		wg.Wait()
		for _, p := range st.a.Problems() {
			t.Errorf("problem: %s", p)
		}
		if len(st.h.followers.m) != 0 {
			t.Error("the host still has followers")
		}
	})
}

// startingPeer changes the folder of its stage while the session starts, when the stage asks for it.
type startingPeer struct {
	*rehearsal.Agent
	st *stage
}

func (p *startingPeer) Stdin() io.WriteCloser {
	if name := p.st.starting; name != "" {
		p.st.starting = ""
		p.st.change(name, saysLua("in time"))
	}
	return p.Agent.Stdin()
}

func (st *stage) note(e LogEntry) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.log = append(st.log, e.Level+": "+e.Text)
}

// logged returns the lines of the log that have text.
func (st *stage) logged(text string) (lines []string) {
	st.mu.Lock()
	defer st.mu.Unlock()
	for _, l := range st.log {
		if strings.Contains(l, text) {
			lines = append(lines, l)
		}
	}
	return lines
}

// write writes a file of the folder, or removes it when text is empty.
func (st *stage) write(name, text string) {
	p := filepath.Join(st.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		st.t.Error(err)
	}
	err := os.WriteFile(p, []byte(text), 0o644)
	if text == "" {
		err = os.Remove(p)
	}
	if err != nil {
		st.t.Error(err)
	}
}

// change is write, and waits for the reload.
func (st *stage) change(name, text string) {
	st.write(name, text)
	<-st.reloaded
}

// listed returns what a server offers to the session, by name.
func (st *stage) listed(server string) map[string]mcp.Tool {
	st.t.Helper()
	var list []struct {
		Name, Description string
		InputSchema       json.RawMessage
	}
	if err := json.Unmarshal(st.h.registry().list(st.s.key(server)), &list); err != nil {
		st.t.Fatal(err)
	}
	tools := map[string]mcp.Tool{}
	for _, t := range list {
		tools[t.Name] = mcp.Tool{Name: t.Name, Description: t.Description, InputSchema: t.InputSchema}
	}
	return tools
}

func saysLua(text string) string {
	return fmt.Sprintf(`return tool{ description = "A tool of the tests.", run = function() return %q end }`, text)
}

// once is a read-only Go tool that does something while it is called.
func once(name string, do func()) Tool {
	t := raw(name, func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) {
		do()
		return mcp.TextResult("done"), nil
	})
	t.ReadOnly = true
	return t
}

func uses(names ...string) rehearsal.Step {
	var step rehearsal.Step
	for _, n := range names {
		step.Calls = append(step.Calls, rehearsal.ToolUse{Name: n})
	}
	return step
}

var result = rehearsal.Step{Text: "$RESULT"}

// A file is added while a tool runs: current CLIs can use it in the same turn, because the answer is held until they have listed; others in the next.
func TestAToolAddedDuringACall(t *testing.T) {
	for _, tt := range []struct {
		name  string
		agent rehearsal.Options
		same  string // result of the call in the same turn; empty: it may be either
		held  time.Duration
		log   string
	}{
		{"a CLI that lists again at once has it in the same turn", rehearsal.Options{}, "at your service", 0, "relisted in 0s"},
		{"the answer waits for a CLI that lists late", rehearsal.Options{RelistDelay: 300 * time.Millisecond}, "at your service", 300 * time.Millisecond, "relisted in 300ms"},
		{"it waits a second at most, and then goes the other way", rehearsal.Options{RelistDelay: time.Hour}, "", time.Second, "not relisted in 1s"},
		{"nothing is held for a CLI that says that it does not list again", rehearsal.Options{Relist: rehearsal.RelistNever}, "", 0, "by mcp_set_servers"},
		{"2.1.33 has it in the next turn", rehearsal.Options{Old: true}, "No such tool", 0, "by mcp_set_servers"},
	} {
		for server, file := range map[string]string{"tools": "added.lua", "other": "other/added.lua"} {
			if server == "other" && tt.agent.RelistDelay > 0 {
				continue // a server that is new is listed without a notice
			}
			t.Run(tt.name+"/"+server, func(t *testing.T) {
				added := "mcp__" + server + "__added"
				tt.agent.Script = []rehearsal.Turn{
					{Steps: []rehearsal.Step{uses("mcp__go__slow"), uses(added), result}},
					{Steps: []rehearsal.Step{uses(added), result}},
				}
				var ended time.Time
				tools := func(st *stage) []Tool {
					return []Tool{once("slow", func() {
						st.change(file, saysLua("at your service"))
						ended = time.Now()
					})}
				}
				onStage(t, map[string]string{"greet.lua": greetLua}, often, tt.agent, tools, func(t *testing.T, st *stage) {
					held, last := time.Duration(-1), ""
					for m, err := range st.s.Query(t.Context(), "go") {
						if err != nil {
							t.Fatal(err)
						}
						for _, r := range m.ToolResults() {
							if held < 0 {
								held = time.Since(ended)
								if r.IsError {
									t.Errorf("the call that ran meanwhile got %s", r.Content)
								}
							}
							last = string(r.Content)
						}
					}
					if held != tt.held {
						t.Errorf("the answer was held for %s, want %s", held, tt.held)
					}
					if !strings.Contains(last, tt.same) {
						t.Errorf("in the same turn the tool answered %s", last)
					}
					if res := query(t, st.s, "again"); res.Text != "at your service" {
						t.Errorf("in the next turn it answered %q", res.Text)
					}
					if len(st.logged(tt.log)) != 1 {
						t.Errorf("the log lacks %q: %q", tt.log, st.log)
					}
				})
			})
		}
	}
}

// What changes while the session starts is in its first turn.
func TestAToolAddedDuringTheStart(t *testing.T) {
	for _, old := range []bool{false, true} {
		for _, tt := range []struct{ server, file string }{{"tools", "added.lua"}, {"other", "other/added.lua"}} {
			t.Run(fmt.Sprintf("old=%v/%s", old, tt.server), func(t *testing.T) {
				script := []rehearsal.Turn{{Steps: []rehearsal.Step{uses("mcp__" + tt.server + "__added"), result}}}
				starting := func(st *stage) []Tool { st.starting = tt.file; return nil }
				onStage(t, map[string]string{"greet.lua": greetLua}, often, rehearsal.Options{Old: old, Script: script}, starting, func(t *testing.T, st *stage) {
					if res := query(t, st.s, "go"); res.Text != "in time" {
						t.Errorf("got %q", res.Text)
					}
				})
			})
		}
	}
}

// What a tool of ours wrote is there before its answer goes, without waiting for the watcher.
func TestAToolThatWritesATool(t *testing.T) {
	type file struct {
		Name string `json:"name"`
	}
	script := []rehearsal.Turn{{Steps: []rehearsal.Step{
		{Calls: []rehearsal.ToolUse{{Name: "mcp__go__make", Input: `{"name":"made"}`}}}, uses("mcp__tools__made"), result,
	}}}
	tools := func(st *stage) []Tool {
		return []Tool{NewTool("make", "Make a tool.", func(_ context.Context, in file) (string, error) {
			st.write(in.Name+".lua", saysLua("made in Go"))
			return "made", nil
		})}
	}
	onStage(t, nil, seldom, rehearsal.Options{Script: script, RelistDelay: 100 * time.Millisecond}, tools, func(t *testing.T, st *stage) {
		if res := query(t, st.s, "make one"); res.Text != "made in Go" {
			t.Errorf("got %q", res.Text)
		}
		if len(st.reloaded) != 1 {
			t.Errorf("%d reloads were reported", len(st.reloaded))
		}
	})
}

// What the CLI's own tools wrote is there before the model is asked again: the hook waits for it.
func TestTheCLIWritesATool(t *testing.T) {
	for _, tt := range []struct {
		name  string
		agent rehearsal.Options
		same  string
	}{
		{"current CLIs have it in the same turn", rehearsal.Options{RelistDelay: 100 * time.Millisecond}, "made by the CLI"},
		{"2.1.33 in the next", rehearsal.Options{Old: true}, "No such tool"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.agent.Script = []rehearsal.Turn{
				{Steps: []rehearsal.Step{uses("Write"), uses("mcp__tools__made"), result}},
				{Steps: []rehearsal.Step{uses("mcp__tools__made"), result}},
			}
			var writer func()
			onStage(t, map[string]string{"greet.lua": greetLua}, seldom, tt.agent, nil, func(t *testing.T, st *stage) {
				writer = func() { st.write("made.lua", saysLua("made by the CLI")) }
				st.h.line.asker = &person{answer: func(_ context.Context, q Question) (Answer, error) {
					if q.Tool == "Write" { // the agent's own tools do nothing, so this does it for them
						writer()
					}
					return Answer{Allow: true}, nil
				}}
				if res := query(t, st.s, "write one"); !strings.Contains(res.Text, tt.same) {
					t.Errorf("in the same turn it answered %q", res.Text)
				}
				if res := query(t, st.s, "again"); res.Text != "made by the CLI" {
					t.Errorf("in the next turn it answered %q", res.Text)
				}
			})
		})
	}
}

func TestACallOfARemovedTool(t *testing.T) {
	for _, tt := range []struct {
		name  string
		agent rehearsal.Options
	}{{"current", rehearsal.Options{}}, {"2.1.33", rehearsal.Options{Old: true}}} {
		t.Run(tt.name, func(t *testing.T) {
			tt.agent.Script = []rehearsal.Turn{{Steps: []rehearsal.Step{uses("mcp__go__slow"), uses("mcp__tools__greet"), result}}}
			tools := func(st *stage) []Tool {
				return []Tool{once("slow", func() {
					st.write("great.lua", saysLua(""))
					st.change("greet.lua", "")
				})}
			}
			onStage(t, map[string]string{"greet.lua": greetLua}, often, tt.agent, tools, func(t *testing.T, st *stage) {
				res := query(t, st.s, "go")
				if !strings.Contains(res.Text, `tool "greet" was removed: did you mean great?`) {
					t.Errorf("the model read %q", res.Text)
				}
				_, err := client(st.h, &caller{}).CallTool(t.Context(), &mcp.CallToolParams{Name: "greet"})
				rpc, ok := errors.AsType[*protocol.Error](err)
				if !ok || rpc.Code != protocol.CodeInvalidParams || !strings.Contains(rpc.Message, "was removed") {
					t.Errorf("a plain client got %v", err)
				}
				_, err = client(st.h, &caller{}).CallTool(t.Context(), &mcp.CallToolParams{Name: "never"})
				if err == nil || strings.Contains(err.Error(), "removed") {
					t.Errorf("a tool that never was: %v", err)
				}
			})
		})
	}
}

// The model may hold the former schema: it reads the signature of this moment.
func TestACallWithTheFormerArguments(t *testing.T) {
	script := []rehearsal.Turn{{Steps: []rehearsal.Step{
		uses("mcp__go__slow"), {Calls: []rehearsal.ToolUse{{Name: "mcp__tools__greet", Input: `{"name":"Ada"}`}}}, result,
	}}}
	tools := func(st *stage) []Tool {
		return []Tool{once("slow", func() {
			st.change("greet.lua", strings.ReplaceAll(greetLua, "name", "who"))
		})}
	}
	onStage(t, map[string]string{"greet.lua": greetLua}, often, rehearsal.Options{Script: script}, tools, func(t *testing.T, st *stage) {
		if res := query(t, st.s, "go"); !strings.Contains(res.Text, "who: string") {
			t.Errorf("the model read %q", res.Text)
		}
	})
}

// A revision stands in the schema of what changed since the session began, and nowhere else.
func TestRevisionsOfSchemas(t *testing.T) {
	comment := func(t mcp.Tool) string {
		var s struct {
			Comment string `json:"$comment"`
		}
		_ = json.Unmarshal(t.InputSchema, &s)
		return s.Comment
	}
	onStage(t, map[string]string{"greet.lua": greetLua, "add.lua": addLua}, often, rehearsal.Options{}, nil, func(t *testing.T, st *stage) {
		seen := map[string]bool{}
		for i, source := range []string{
			greetLua,
			strings.Replace(greetLua, "Greet", "Hail", 1),
			strings.Replace(greetLua, "Hello", "Ahoy", 1), // back to the former text, with another behaviour
			"", // removed
			greetLua,
			strings.Replace(greetLua, `name = "string"`, `name = param.json [[{"type":"string","$comment":"ours"}]]`, 1),
		} {
			if i > 0 {
				st.change("greet.lua", source)
			}
			tools := st.listed("tools")
			if c := comment(tools["add"]); c != "" {
				t.Errorf("step %d: add has the comment %q", i, c)
			}
			schema := string(tools["greet"].InputSchema)
			if seen[schema] && i != 4 { // a tool that comes back as it was may look as it did
				t.Errorf("step %d: the schema is a former one: %s", i, schema)
			}
			seen[schema] = true
			if has := comment(tools["greet"]) != ""; has != (i > 0) {
				t.Errorf("step %d: comment %q", i, comment(tools["greet"]))
			}
		}
		if plain := string(st.h.registry().list(listKey{})); strings.Contains(plain, "revision") {
			t.Errorf("plain clients get %s", plain)
		}
		later := st.h.registry().list(listKey{server: "tools", cli: true, since: st.h.registry().seq})
		if strings.Contains(string(later), "revision") {
			t.Errorf("a session that begins now gets %s", later)
		}
	})
}

func TestWithRevision(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"it is added", `{"type":"object"}`, `{"type":"object","$comment":"revision 7"}`},
		{"an empty schema gets one", `{}`, `{"$comment":"revision 7"}`},
		{"the author's comment stays", `{"$comment":"mine","type":"object"}`, `{"type":"object","$comment":"mine (revision 7)"}`},
		{"what is no object stays", `[]`, `[]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(withRevision(json.RawMessage(tt.schema), 7)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// Servers may come and go; one that has lost its tools stays declared, so that calls on their way find their text.
func TestAServerThatVanishes(t *testing.T) {
	script := []rehearsal.Turn{
		{Steps: []rehearsal.Step{uses("mcp__ops__ping"), result}}, {Steps: []rehearsal.Step{uses("mcp__ops__ping"), result}},
		{Steps: []rehearsal.Step{uses("mcp__ops__ping"), result}},
	}
	for _, tt := range []struct {
		name  string
		agent rehearsal.Options
		gone  string
	}{
		{"current", rehearsal.Options{Script: script}, "was removed"},
		{"2.1.33", rehearsal.Options{Script: script, Old: true}, "No such tool"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onStage(t, map[string]string{"ops/ping.lua": saysLua("pong"), "greet.lua": greetLua}, often, tt.agent, nil, func(t *testing.T, st *stage) {
				if res := query(t, st.s, "ping"); res.Text != "pong" {
					t.Errorf("got %q", res.Text)
				}
				st.change("ops/ping.lua", "")
				if res := query(t, st.s, "ping"); !strings.Contains(res.Text, tt.gone) {
					t.Errorf("a removed tool: %q", res.Text)
				}
				st.change("ops/ping.lua", saysLua("pong again"))
				if res := query(t, st.s, "ping"); res.Text != "pong again" {
					t.Errorf("got %q", res.Text)
				}
			})
		})
	}
}

// Each turn finds the tool that was added before it, whatever the CLI, and nothing in flight fails.
func TestTwentyReloads(t *testing.T) {
	const n = 20
	for _, tt := range []struct {
		name  string
		agent rehearsal.Options
	}{
		{"current", rehearsal.Options{}}, {"current and late", rehearsal.Options{RelistDelay: 50 * time.Millisecond}},
		{"deaf", rehearsal.Options{RelistDelay: time.Hour}}, {"2.1.33", rehearsal.Options{Old: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for i := range n {
				tt.agent.Script = append(tt.agent.Script, rehearsal.Turn{Steps: []rehearsal.Step{
					uses("mcp__go__slow"), uses(fmt.Sprintf("mcp__tools__t%d", i)), result,
				}})
			}
			step := 0
			tools := func(st *stage) []Tool {
				return []Tool{once("slow", func() {
					st.change(fmt.Sprintf("t%d.lua", step+1), saysLua(fmt.Sprint("tool ", step+1)))
					step++
				})}
			}
			onStage(t, map[string]string{"t0.lua": saysLua("tool 0")}, often, tt.agent, tools, func(t *testing.T, st *stage) {
				for i := range n {
					for m, err := range st.s.Query(t.Context(), "go") {
						if err != nil {
							t.Fatal(err)
						}
						for _, r := range m.ToolResults() {
							if r.IsError {
								t.Errorf("turn %d: %s", i, r.Content)
							}
						}
						if res, ok := m.Result(); ok && res.Text != fmt.Sprint("tool ", i) {
							t.Errorf("turn %d answered %q", i, res.Text)
						}
					}
				}
				synctest.Wait()
				helpers := 0
				for _, v := range *st.s.servers.Load() {
					if v.helper {
						helpers++
					}
				}
				if told := len(st.logged("client told")); told < n || helpers > 1 {
					t.Errorf("told %d times, %d helpers are left", told, helpers)
				}
			})
		})
	}
}

// Fifty reloads while each message makes sixteen calls at once: every call is answered, none fails, and the next turn has the last tool.
func TestReloadsUnderManyCalls(t *testing.T) {
	const reloads, turns, calls = 50, 10, 16
	for _, tt := range []struct {
		name  string
		agent rehearsal.Options
	}{
		{"current", rehearsal.Options{}}, {"current and late", rehearsal.Options{RelistDelay: 70 * time.Millisecond}},
		{"deaf", rehearsal.Options{RelistDelay: time.Hour}}, {"2.1.33", rehearsal.Options{Old: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			work := uses(slices.Repeat([]string{"mcp__go__work"}, calls)...)
			for range turns {
				tt.agent.Script = append(tt.agent.Script, rehearsal.Turn{Steps: []rehearsal.Step{work, work, work}})
			}
			tt.agent.Script = append(tt.agent.Script, rehearsal.Turn{Steps: []rehearsal.Step{uses(fmt.Sprintf("mcp__tools__t%d", reloads-1)), result}})
			tt.agent.Parallel, tt.agent.NoAsk = true, true
			tools := func(*stage) []Tool {
				return []Tool{once("work", func() { time.Sleep(130 * time.Millisecond) })} // of the bubble
			}
			onStage(t, map[string]string{"t.lua": saysLua("")}, often, tt.agent, tools, func(t *testing.T, st *stage) {
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					for i := range reloads {
						st.change(fmt.Sprintf("t%d.lua", i), saysLua(fmt.Sprint("tool ", i)))
						if i > 3 {
							st.change(fmt.Sprintf("t%d.lua", i-3), "")
						}
					}
				}()
				answered := 0
				for range turns {
					for m, err := range st.s.Query(t.Context(), "go") {
						if err != nil {
							t.Fatal(err)
						}
						for _, r := range m.ToolResults() {
							answered++
							if r.IsError {
								t.Errorf("a call got %s", r.Content)
							}
						}
					}
				}
				if want := turns * 3 * calls; answered != want {
					t.Errorf("%d calls were answered, want %d", answered, want)
				}
				<-ended
				if res := query(t, st.s, "and now?"); res.Text != fmt.Sprint("tool ", reloads-1) {
					t.Errorf("the last tool answered %q", res.Text)
				}
			})
		})
	}
}
