package host

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/control/rehearsal"
	"github.com/luatools/luatools/protocol/mcp"
)

// What a Lua file says, and what a call of it carries, on the whole road: file to list, arguments to Lua, result to the line.

// inLuaSession is inSession for a folder of Lua files.
func inLuaSession(t *testing.T, files map[string]string, r rehearsal.Options, f func(t *testing.T, s *Session, seen *record)) {
	t.Helper()
	dir := folder(t, files)
	seen := &record{}
	inSession(t, Options{Dir: dir, Observer: seen}, r, func(t *testing.T, s *Session, _ *rehearsal.Agent) { f(t, s, seen) })
}

// answered sends one MCP message to a server of a session, as the CLI does, and returns the answer's line.
func answered(t *testing.T, s *Session, server, message string) string {
	t.Helper()
	req, _, bad := protocol.Decode([]byte(message), false)
	if bad != nil {
		t.Fatal(bad)
	}
	res, err := s.MCPMessage(t.Context(), server, req)
	if err != nil {
		t.Fatal(err)
	}
	out, err := res.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

const fullLua = `return tool{
  name = "price", title = "Price of fruit", description = "Price of some fruit – in francs.",
  input = { item = param.enum("What", { "apple", "pear" }), amount = param.integer("How many", { min = 1, default = 1 }) },
  output = { total = "number" },
  read_only = true, destructive = false, idempotent = true, open_world = false,
  annotations = { title = "Fruit" }, icons = { { src = "https://example.com/i.png" } }, meta = { ["shop/page"] = 7 }, max_result = "1KiB",
  run = function(args) return { total = args.amount } end,
}`

func TestAFileBecomesAnEntryOfTheList(t *testing.T) {
	const (
		input       = `{"type":"object","properties":{"item":{"type":"string","enum":["apple","pear"],"description":"What"},"amount":{"type":"integer","description":"How many","minimum":1,"default":1}},"required":["item"]}`
		output      = `{"type":"object","properties":{"total":{"type":"number"}},"required":["total"]}`
		annotations = `{"title":"Fruit","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`
		icons       = `[{"src":"https://example.com/i.png"}]`
		head        = `[{"name":%q,"title":"Price of fruit","description":"Price of some fruit – in francs.","inputSchema":` + input
	)
	h := newHost(t, Options{Dir: folder(t, map[string]string{"shop/price.lua": fullLua})})
	old, current := &Session{h: h}, &Session{h: h}
	old.meet(mcp.ClientInfo{Name: "claude-code", Version: "2.1.33"})
	current.meet(mcp.ClientInfo{Name: "claude-code", Version: "2.1.330"})
	for _, tt := range []struct{ name, list, want string }{
		{"to a plain client goes all of it, under its plain name", string(client(h, &caller{}).ToolList()),
			fmt.Sprintf(head, "shop_price") + `,"outputSchema":` + output + `,"annotations":` + annotations + `,"icons":` + icons + `,"_meta":{"shop/page":7}}]`},
		{"to a current CLI go its own hints, and no output schema", string((&serverView{current, "shop"}).ToolList()),
			fmt.Sprintf(head, "price") + `,"annotations":` + annotations + `,"icons":` + icons + `,"_meta":{"shop/page":7,"anthropic/alwaysLoad":true,"anthropic/maxResultSizeChars":1024}}]`},
		{"to an old CLI go no hints that it does not know", string((&serverView{old, "shop"}).ToolList()),
			fmt.Sprintf(head, "price") + `,"annotations":` + annotations + `,"icons":` + icons + `,"_meta":{"shop/page":7}}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.list != tt.want {
				t.Errorf("\n got %s\nwant %s", tt.list, tt.want)
			}
		})
	}
}

func TestAServerFileReachesTheHandshake(t *testing.T) {
	files := map[string]string{
		"greet.lua":     greetLua,
		"db/add.lua":    addLua,
		"db/server.lua": `return { title = "Data", version = "2.3.4", instructions = "Ask before you guess." }`,
	}
	inLuaSession(t, files, rehearsal.Options{}, func(t *testing.T, s *Session, _ *record) {
		const initialize = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`
		for server, want := range map[string]string{
			"db":    `"serverInfo":{"name":"db","title":"Data","version":"2.3.4"},"instructions":"Ask before you guess."}}`,
			"tools": `"serverInfo":{"name":"tools","version":"1.0.0"}}}`,
		} {
			for n := range 3 { // the third handshake is like the first
				if got := answered(t, s, server, initialize); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25",`) || !strings.HasSuffix(got, want) {
					t.Errorf("handshake %d of %s: %s, want %s", n+1, server, got, want)
				}
			}
		}
		if res := query(t, s, "db/add a=1 b=2"); res.Text != "1 + 2 = 3" {
			t.Errorf("after all handshakes: %+v", res)
		}
	})
}

func TestJSONSurvivesTheWayThroughLua(t *testing.T) {
	dir := folder(t, map[string]string{"echo.lua": `return tool{
  description = "Gives back what it got, as a structure.", input = { v = "any" }, output = { v = param.any("The same", { optional = true }) },
  run = function(args) return { v = args.v } end }`})
	c := client(newHost(t, Options{Dir: dir}), &caller{})
	for _, tt := range []struct{ name, value string }{
		{"an integer beyond 2^53", `9007199254740993`},
		{"an integer of thirty digits", `123456789012345678901234567890`},
		{"null inside a list", `[1,null,3]`},
		{"an empty list stays a list", `{"list":[],"lists":[[],[[]]]}`},
		{"an empty object stays an object", `{"map":{},"maps":[{},{"m":{}}]}`},
		{"letters beyond ASCII", `"23 °C – naïve 漢字 😀"`},
		{"letters beyond ASCII as names", `{"größe":1,"漢":[2]}`},
		{"newlines, quotes and control characters", `"a\n\"b\"\\\t\u0001"`},
		{"what HTML would escape", `"<a href=\"x\">&</a>"`},
		{"fractions and exponents", `[0.1,-2.5,1e+21,1e-7]`},
		{"booleans", `[true,false]`},
		{"deep nesting", strings.Repeat("[", 50) + "1" + strings.Repeat("]", 50)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := callIt(t, c, "echo", `{"v":`+tt.value+`}`)
			if want := `{"v":` + tt.value + `}`; string(res.StructuredContent) != want || text(res) != want {
				t.Errorf("\n got %s\ntext %s\nwant %s", res.StructuredContent, text(res), want)
			}
		})
	}
}

func TestStructureGoesToTheCLIOnlyWhereItWasDeclared(t *testing.T) {
	files := map[string]string{
		"plain.lua": `return tool("plain", "A table without declared output", {}, function() return { n = 1 } end)`,
		"out.lua":   `return tool{ description = "A table with declared output", output = { n = "number" }, run = function() return { n = 1 } end }`,
	}
	inLuaSession(t, files, rehearsal.Options{}, func(t *testing.T, s *Session, _ *record) {
		for tool, want := range map[string]string{
			"plain": `{"content":[{"type":"text","text":"{\"n\":1}"}]}`,
			"out":   `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`,
		} {
			got := answered(t, s, "tools", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`"}}`)
			if got != `{"jsonrpc":"2.0","id":1,"result":`+want+`}` {
				t.Errorf("%s: got %s, want %s", tool, got, want)
			}
		}
	})
}

func TestCallsOfOneLuaToolRunInParallel(t *testing.T) {
	const n = 8
	var here sync.WaitGroup
	here.Add(n)
	dir := folder(t, map[string]string{"meet.lua": `return tool("meet", "Waits until all are here", {}, function() print("here") return "met" end)`})
	h := newHost(t, Options{Dir: dir, Log: func(LogEntry) { here.Done(); here.Wait() }}) // the first waits inside print for the last
	c := client(h, &caller{})
	var calls sync.WaitGroup
	for range n {
		calls.Go(func() {
			if res := callIt(t, c, "meet", "{}"); text(res) != "met" {
				t.Errorf("got %q", text(res))
			}
		})
	}
	calls.Wait()
}

func TestAToolMayTakeLongerThanAMinute(t *testing.T) {
	files := map[string]string{
		"slow.lua": `return tool{ description = "Sleeps for two minutes.", timeout = "5m", run = function(args, ctx) ctx:sleep("2m") return "rested" end }`,
	}
	inLuaSession(t, files, rehearsal.Options{}, func(t *testing.T, s *Session, _ *record) {
		began := time.Now()
		if res := query(t, s, "slow"); res.Text != "rested" || time.Since(began) < 2*time.Minute {
			t.Errorf("got %+v after %s", res, time.Since(began))
		}
	})
}

func TestASlowToolDelaysNoOther(t *testing.T) {
	dir := folder(t, map[string]string{
		"slow.lua":  `return tool{ description = "Sleeps for an hour.", timeout = "2h", run = function(args, ctx) ctx:sleep("1h") return "rested" end }`,
		"greet.lua": greetLua,
	})
	synctest.Test(t, func(t *testing.T) {
		c := client(newHost(t, Options{Dir: dir, Limits: Limits{Wall: 2 * time.Hour}}), &caller{})
		slow := make(chan string)
		go func() { slow <- text(callIt(t, c, "slow", "{}")) }()
		synctest.Wait()
		began := time.Now()
		if res := callIt(t, c, "greet", `{"name":"Ada"}`); text(res) != "Hello, Ada!" || time.Since(began) != 0 {
			t.Errorf("got %q after %s", text(res), time.Since(began))
		}
		if got := <-slow; got != "rested" {
			t.Errorf("the slow one: %q", got)
		}
	})
}

func TestManyCallsInOneTurn(t *testing.T) {
	t.Run("40, one after the other", func(t *testing.T) {
		inLuaSession(t, map[string]string{"add.lua": addLua}, rehearsal.Options{}, func(t *testing.T, s *Session, seen *record) {
			var prompt, want []string
			for i := range 40 {
				prompt = append(prompt, fmt.Sprintf("add a=%d b=1", i))
				want = append(want, fmt.Sprintf("%d + 1 = %d", i, i+1))
			}
			if res := query(t, s, strings.Join(prompt, "\n")); res.Text != strings.Join(want, "\n") {
				t.Errorf("got %+v", res)
			}
			if n := len(seen.all()); n != 80 {
				t.Errorf("the observer saw %d events, want a beginning and an end of 40 calls", n)
			}
		})
	})
	t.Run("200 at once", func(t *testing.T) {
		inLuaSession(t, map[string]string{"add.lua": addLua}, rehearsal.Options{Parallel: true}, func(t *testing.T, s *Session, seen *record) {
			if res := query(t, s, strings.TrimSuffix(strings.Repeat("add a=1 b=2\n", 200), "\n")); res.Text != strings.TrimSuffix(strings.Repeat("1 + 2 = 3\n", 200), "\n") {
				t.Errorf("got %+v", res)
			}
			ids := map[string]bool{}
			for _, e := range seen.all() {
				ids[e.ToolUseID] = true
			}
			if len(ids) != 200 || ids[""] {
				t.Errorf("%d different tool use ids reached the observer", len(ids))
			}
		})
	})
}

// The id that the model gave its tool use is the one that the tool, its log and the observer see.
func TestOneIDNamesACallEverywhere(t *testing.T) {
	dir := folder(t, map[string]string{"who.lua": `return tool("who", "Says which call this is", {}, function(args, ctx) print(ctx.call_id) return ctx.tool_use_id end)`})
	var logged LogEntry
	seen := &record{}
	script := []rehearsal.Turn{{Steps: []rehearsal.Step{{Calls: []rehearsal.ToolUse{{Name: "mcp__tools__who", ID: "toolu_7"}}}, {Text: "$RESULT"}}}}
	o := Options{Dir: dir, Observer: seen, Log: func(e LogEntry) { logged = e }}
	inSession(t, o, rehearsal.Options{Script: script}, func(t *testing.T, s *Session, _ *rehearsal.Agent) {
		var used, result string
		for m, err := range s.Query(t.Context(), "who") {
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range m.ToolUses() {
				used = u.ID
			}
			for _, r := range m.ToolResults() {
				result = r.ToolUseID
			}
			if r, ok := m.Result(); ok && r.Text != "toolu_7" {
				t.Errorf("the tool saw %q", r.Text)
			}
		}
		e := seen.all()
		if used != "toolu_7" || result != used || len(e) != 2 || e[0].ToolUseID != used || e[1].ToolUseID != used {
			t.Errorf("used %q, answered %q, observed %+v", used, result, e)
		}
		if logged.CallID == "" || logged.CallID != e[0].CallID || logged.Text != e[0].CallID {
			t.Errorf("logged %+v, observed %q", logged, e[0].CallID)
		}
	})
}

func TestBadLinesCostOnlyThemselves(t *testing.T) {
	h := newHost(t, Options{Dir: folder(t, map[string]string{"greet.lua": greetLua})})
	call := func(id, name string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"greet","arguments":{"name":"` + name + `"}}}`
	}
	for _, tt := range []struct{ name, line, want string }{
		{"bytes that are no UTF-8 in an argument", call("1", "A\xffda"), `{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"parse error: the line is not valid UTF-8`},
		{"no JSON", `nonsense`, `"id":null,"error":{"code":-32700`},
		{"a line that breaks off", `{"jsonrpc":"2.0","id":1,"method":`, `"id":null,"error":{"code":-32700`},
		{"a batch", `[` + call("1", "Ada") + `]`, `"id":null,"error":{"code":-32600`},
		{"no version", `{"id":1,"method":"ping"}`, `"error":{"code":-32600`},
		{"an argument of 30 MB", call("1", strings.Repeat("A", 30<<20)), `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"`},
		{"a name of another tool", strings.Replace(call("1", "Ada"), `"greet"`, `"great"`, 1), `did you mean greet`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			if err := h.ServeLines(context.Background(), strings.NewReader(tt.line+"\n"+call("2", "Ada")+"\n"), &out); err != nil {
				t.Fatal(err)
			}
			var bad, good string
			for line := range strings.Lines(out.String()) {
				if !json.Valid([]byte(line)) {
					t.Fatalf("no JSON: %.200q", line)
				}
				if strings.Contains(line, `"id":2,`) {
					good = line
				} else {
					bad = line
				}
			}
			if !strings.Contains(bad, tt.want) {
				t.Errorf("answered with %.300s, want %s", bad, tt.want)
			}
			if !strings.Contains(good, "Hello, Ada!") {
				t.Errorf("the next call: %.300s", good)
			}
		})
	}
}
