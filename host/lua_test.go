package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/protocol/control/rehearsal"
	"github.com/luatools/luatools/protocol/mcp"
)

// folder writes a tools folder and returns its path; it is called tools.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tools")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, source := range files {
		p := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	addLua = `return tool("add", "Add two numbers together.", { a = "number", b = "number" },
  function(args) return ("%g + %g = %g"):format(args.a, args.b, args.a + args.b) end)`
	greetLua = `return tool("greet", "Greet someone by name.", { name = "string" },
  function(args) return "Hello, " .. args.name .. "!" end)`
	deployLua = `return tool{
  description = "Restart one service on this machine.",
  input = { service = "string" },
  permissions = { run = { "systemctl" } },
  destructive = true,
  run = function(args) return "restarted " .. args.service end,
}`
	offLua = `return tool{ description = "Not for this machine, as it says.", enabled = false, run = function() return "never" end }`
)

func mixed(t testing.TB) map[string]string {
	return map[string]string{
		"greet.lua":      greetLua,
		"db/add.lua":     addLua,
		"ops/add.lua":    addLua,
		"ops/deploy.lua": deployLua,
		"ops/off.lua":    offLua,
		"db/server.lua":  `return { title = "Data", instructions = "Ask before you guess." }`,
		"ops/server.lua": `return { instructions = "Be careful." }`,
	}
}

func TestLookup(t *testing.T) {
	h := newHost(t, Options{Dir: folder(t, mixed(t)), Tools: []Tool{addTool()}})
	for _, tt := range []struct{ name, ask, want, says string }{
		{"as people write it", "db/add", "db/add", ""},
		{"as the model writes it", "mcp__db__add", "db/add", ""},
		{"as serve lists it", "db_add", "db/add", ""},
		{"a tool of the top folder", "tools/greet", "tools/greet", ""},
		{"a tool of the top folder as serve lists it", "greet", "tools/greet", ""},
		{"a bare name that one server has", "deploy", "ops/deploy", ""},
		{"a bare name that several have", "add", "", `tool "add" is in several servers: write db/add, go/add or ops/add`},
		{"a Go tool", "go/add", "go/add", ""},
		{"a misspelt name", "db/ad", "", `did you mean db/add?`},
		{"a misspelt bare name", "depoly", "", `did you mean ops/deploy?`},
		{"nothing like it", "xyzzy", "", `unknown tool "xyzzy"`},
		{"a tool that is not enabled", "ops/off", "", `tool "ops/off" is not available`},
		{"nothing", "", "", `unknown tool ""`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			info, err := h.Lookup(tt.ask)
			if tt.want != "" {
				if err != nil || info.Name.String() != tt.want {
					t.Errorf("got %s, %v", info.Name, err)
				}
				return
			}
			if _, ok := AsUnknownTool(err); !ok || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q", err, tt.says)
			}
		})
	}
}

func TestToolsAreSortedAndDescribed(t *testing.T) {
	h := newHost(t, Options{Dir: folder(t, mixed(t)), Tools: []Tool{addTool()}})
	var names []string
	for _, i := range h.Tools() {
		names = append(names, i.Name.String()+"="+i.Plain)
		if i.Name.String() == "ops/deploy" && (i.Declares != "run systemctl" || i.File != "tools/ops/deploy.lua" || i.Line == 0 || i.Signature == "" || i.Lua == nil) {
			t.Errorf("info %+v", i)
		}
	}
	if got, want := strings.Join(names, " "), "db/add=db_add go/add=go_add ops/add=ops_add ops/deploy=ops_deploy tools/greet=greet"; got != want {
		t.Errorf("got %s", got)
	}
	if off := h.Disabled(); len(off) != 1 || off[0].Name.String() != "ops/off" || off[0].Why == "" {
		t.Errorf("disabled: %+v", off)
	}
}

func TestWarnings(t *testing.T) {
	rules := []Rule{
		{"ops/delpoy", Allow}, {"opps/*", Deny}, {"add", Allow}, {"bash", Deny}, {"greet", Allow}, {"ops/off", Deny},
		{"Bash", Allow}, {"WebFtch", Deny}, {"db/*", Ask}, {"mcp__github__*", Deny}, {"OPS/*", Deny}, {"ops", Deny},
	}
	h := newHost(t, Options{Dir: folder(t, mixed(t)), Policy: Policy{rules}})
	want := []string{
		`"--allow ops/delpoy" is about no loaded tool: did you mean ops/deploy?`,
		`"--deny opps/*" is about no loaded tool: did you mean ops/*?`,
		`"--allow add" is about no loaded tool`,
		`"--deny bash" is about no loaded tool: did you mean Bash?`,
		`"--deny mcp__github__*" is about no loaded tool`,
		`"--deny OPS/*" is about no loaded tool: did you mean ops/*?`,
		`"--deny ops" is about no loaded tool: did you mean ops/*?`,
	}
	got := h.Warnings()
	if len(got) != len(want) {
		t.Fatalf("got %q", got)
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("got %q, want %q", got[i], want[i])
		}
	}
}

func TestLuaAndGoToolOfOneName(t *testing.T) {
	tool := addTool()
	tool.Server = "db"
	_, err := New(Options{Dir: folder(t, mixed(t)), Tools: []Tool{tool}})
	if err == nil {
		t.Fatal("no error")
	}
	for _, s := range []string{"db/add", "tools/db/add.lua:1", "gate_test.go:"} {
		if !strings.Contains(err.Error(), s) {
			t.Errorf("%q lacks %q", err, s)
		}
	}
}

func TestMissingFolder(t *testing.T) {
	if _, err := New(Options{Dir: filepath.Join(t.TempDir(), "nowhere")}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestLuaCall(t *testing.T) {
	dir := folder(t, map[string]string{
		"add.lua":    addLua,
		"broken.lua": `return tool{ description = "Always breaks, for the test.", run = function() local x = nil; return x.y end }`,
		"says.lua": `return tool{ description = "Talks to the log of the call.", run = function(args, ctx)
  print("hello") ctx:progress{ done = 1, total = 2, message = "half" } return ctx.server .. " " .. ctx.tool .. " " .. ctx.tool_use_id end }`,
		"sum.lua": `return tool{ description = "Gives its sum as a structure.", input = { a = "number" }, output = { sum = "number" },
  run = function(args) return { sum = args.a + 1 } end }`,
	})
	var mu sync.Mutex
	var logged []LogEntry
	seen := &record{}
	h := newHost(t, Options{Dir: dir, Observer: seen, Log: func(e LogEntry) { mu.Lock(); logged = append(logged, e); mu.Unlock() }})
	c := client(h, &caller{})
	if res := callIt(t, c, "add", `{"a":1,"b":"2"}`); text(res) != "1 + 2 = 3" || res.IsError {
		t.Errorf("add: %+v", res)
	}
	if res := callIt(t, c, "sum", `{"a":1}`); string(res.StructuredContent) != `{"sum":2}` {
		t.Errorf("sum: %+v", res)
	}
	res := callIt(t, c, "broken", `{}`)
	if !res.IsError || !strings.Contains(text(res), "the tool has a fault") {
		t.Errorf("broken: %+v", res)
	}
	events := seen.all()
	if f, ok := errors.AsType[*sandbox.Fault](events[len(events)-1].Err); !ok || f.Kind != sandbox.Broken || f.Traceback == "" {
		t.Errorf("the author gets %v", events[len(events)-1].Err)
	}
	res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "says", Arguments: json.RawMessage("{}"), ToolUseID: "toolu_1"})
	if err != nil || text(res) != "tools says toolu_1" {
		t.Errorf("says: %+v, %v", res, err)
	}
	if len(logged) != 1 || logged[0].Text != "hello" || logged[0].Tool != "tools/says" || logged[0].CallID == "" {
		t.Errorf("logged %+v", logged)
	}
	if e := seen.all()[len(events)+1]; e.Progress != 1 || e.Total != 2 || e.Message != "half" {
		t.Errorf("progress %+v", e)
	}
}

func TestDeclaredRightsAsk(t *testing.T) {
	h := newHost(t, Options{Dir: folder(t, map[string]string{
		"ops/deploy.lua": deployLua,
		"net.lua":        `return tool{ description = "Reads something off the net.", permissions = { net = { "example.com" } }, run = function() return "ok" end }`,
		"tools.lua":      `return tool{ description = "May call other tools by itself.", permissions = { tools = { "add" } }, run = function() return "ok" end }`,
		"calm.lua":       `return tool{ description = "Claims to be harmless and is not.", read_only = true, permissions = { run = { "rm" } }, run = function() return "ok" end }`,
	})})
	for _, tt := range []struct{ name, tool, says string }{
		{"what it declares and that it is destructive is told", "ops_deploy", "it is destructive and declares run systemctl"},
		{"a right to the net asks", "net", "it declares net example.com"},
		{"read_only loosens nothing", "calm", "it declares run rm"},
		{"tools needs no grant", "tools", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := callIt(t, client(h, &caller{}), tt.tool, `{"service":"nginx"}`)
			if tt.tool != "ops_deploy" {
				res = callIt(t, client(h, &caller{}), tt.tool, `{}`)
			}
			if res.IsError != (tt.says != "") || !strings.Contains(text(res), tt.says) {
				t.Errorf("got %q", text(res))
			}
		})
	}
	p := says(Answer{Allow: true})
	if res := callIt(t, client(h, asking(p)), "ops_deploy", `{"service":"nginx"}`); text(res) != "restarted nginx" {
		t.Errorf("got %q", text(res))
	}
	if q := p.questions()[0]; q.Tool != "ops/deploy" || q.Declares != "run systemctl" || q.File != "tools/ops/deploy.lua" || q.Line == 0 || string(q.Input) != `{"service":"nginx"}` {
		t.Errorf("question %+v", q)
	}
}

func TestConfirm(t *testing.T) {
	h := newHost(t, Options{Dir: folder(t, map[string]string{
		"wipe.lua": `return tool{ description = "Empties a table, after a question.", input = { name = "string", n = param.integer("How many", { default = 1 }) },
  confirm = function(args) if args.name ~= "scratch" then return "Really empty " .. args.name .. " " .. args.n .. " times?" end end,
  run = function(args) return "emptied " .. args.name end }`,
		"bad.lua": `return tool{ description = "Its question is broken, so it stops.", confirm = function(args) return nil .. "x" end, run = function() return "ran" end }`,
	})})
	p := says(Answer{Allow: true})
	if res := callIt(t, client(h, asking(p)), "wipe", `{"name":"scratch"}`); text(res) != "emptied scratch" || len(p.questions()) != 0 {
		t.Errorf("got %q after %d questions", text(res), len(p.questions()))
	}
	if res := callIt(t, client(h, asking(p)), "wipe", `{"name":"users"}`); text(res) != "emptied users" || len(p.questions()) != 1 {
		t.Errorf("got %q after %d questions", text(res), len(p.questions()))
	}
	if q := p.questions()[0]; q.Reason != "Really empty users 1 times?" {
		t.Errorf("asked %q: the defaults belong to what is asked", q.Reason)
	}
	if res := callIt(t, client(h, &caller{}), "wipe", `{"name":"users"}`); !strings.Contains(text(res), "--allow tools/wipe") {
		t.Errorf("headless: %q", text(res))
	}
	if res := callIt(t, client(h, asking(p)), "bad", `{}`); !res.IsError || strings.Contains(text(res), "ran") {
		t.Errorf("a confirm that fails: %q", text(res))
	}
}

func TestDisabledToolIsNotCallable(t *testing.T) {
	h := newHost(t, Options{Dir: folder(t, mixed(t))})
	for _, tt := range []struct {
		view mcp.Catalog
		name string
	}{{client(h, &caller{}), "ops_off"}, {&serverView{&Session{h: h}, "ops"}, "off"}} {
		_, err := tt.view.CallTool(t.Context(), &mcp.CallToolParams{Name: tt.name, Arguments: json.RawMessage("{}")})
		if err == nil || !strings.Contains(err.Error(), "not available") {
			t.Errorf("got %v", err)
		}
		if strings.Contains(string(tt.view.ToolList()), `"off"`) {
			t.Error("it is listed")
		}
	}
}

func TestServeLines(t *testing.T) {
	h := newHost(t, Options{Dir: folder(t, mixed(t)), Asker: says(Answer{Allow: true})})
	in := strings.Join([]string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"db_add","arguments":{"a":1,"b":2}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"ops_deploy","arguments":{"service":"nginx"}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"db_ad"}}`,
	}, "\n") + "\n"
	var out bytes.Buffer
	if err := h.ServeLines(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		answers[string(m.ID)] = line
	}
	for id, want := range map[string][]string{
		"0": {`"name":"luatools"`, `"version":"` + Version, `db: Ask before you guess.\n\nops: Be careful.`},
		"1": {`[{"name":"db_add"`, `"name":"greet"`, `"name":"ops_add"`, `"name":"ops_deploy"`, `"destructiveHint":true`},
		"2": {`1 + 2 = 3`},
		"3": {`"isError":true`, `--allow ops/deploy`}, // nobody is asked by serve
		"4": {`-32602`, `did you mean db_add`},
	} {
		for _, s := range want {
			if !strings.Contains(answers[id], s) {
				t.Errorf("answer %s lacks %s: %s", id, s, answers[id])
			}
		}
	}
	if strings.Contains(out.String(), "anthropic/") {
		t.Error("a plain client got the CLI's _meta")
	}
}

func TestListsAreMadeOncePerSnapshot(t *testing.T) {
	dir := folder(t, mixed(t))
	h := newHost(t, Options{Dir: dir})
	view := client(h, &caller{})
	first := view.ToolList()
	if &first[0] != &view.ToolList()[0] {
		t.Error("the list was made twice")
	}
	if err := os.WriteFile(filepath.Join(dir, "new.lua"), []byte(strings.ReplaceAll(greetLua, `"greet"`, `"new"`)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := h.lib.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	if second := string(view.ToolList()); !strings.Contains(second, `"new"`) || strings.Contains(string(first), `"new"`) {
		t.Errorf("after the reload: %s", second)
	}
	if res := callIt(t, view, "new", `{"name":"Ada"}`); text(res) != "Hello, Ada!" {
		t.Errorf("got %q", text(res))
	}
}

func TestLuaToolThatTakesTheNameOfAGoToolIsLeftOut(t *testing.T) {
	dir := folder(t, map[string]string{"greet.lua": greetLua})
	var mu sync.Mutex
	var logged []string
	h := newHost(t, Options{Dir: dir, Tools: []Tool{addTool()}, Log: func(e LogEntry) { mu.Lock(); logged = append(logged, e.Text); mu.Unlock() }})
	if err := os.MkdirAll(filepath.Join(dir, "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go", "add.lua"), []byte(addLua), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := h.lib.Reload(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if info, err := h.Lookup("go/add"); err != nil || !info.Go {
			t.Errorf("got %+v, %v", info, err)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	if len(logged) != 1 || !strings.Contains(logged[0], "go/add") {
		t.Errorf("logged %q", logged)
	}
}

func TestManyLuaCallsAtOnce(t *testing.T) {
	h := newHost(t, Options{Dir: folder(t, map[string]string{"add.lua": addLua}), Observer: &record{}, Log: func(LogEntry) {}})
	c := client(h, &caller{})
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "add", Arguments: json.RawMessage(fmt.Sprintf(`{"a":%d,"b":1}`, i))})
			if want := fmt.Sprintf("%d + 1 = %d", i, i+1); err != nil || text(res) != want {
				t.Errorf("got %+v, %v, want %q", res, err, want)
			}
		})
	}
	wg.Wait()
}

func TestLuaToolsInASession(t *testing.T) {
	for _, old := range []bool{false, true} {
		h := newHost(t, Options{Dir: folder(t, mixed(t))})
		s, err := h.Start(context.WithoutCancel(t.Context()), SessionOptions{Peer: rehearsal.Start(context.WithoutCancel(t.Context()), rehearsal.Options{Old: old})})
		if err != nil {
			t.Fatal(err)
		}
		res := query(t, s, "greet name=Alice\ndb/add a=1 b=2")
		if res.Text != "Hello, Alice!\n1 + 2 = 3" {
			t.Errorf("old %v: got %q", old, res.Text)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestCloseIsIdempotent(t *testing.T) {
	h, err := New(Options{Dir: folder(t, mixed(t))})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := h.ServeLines(t.Context(), strings.NewReader(""), io.Discard); err != nil {
		t.Errorf("serving after close: %v", err)
	}
}
