package scripts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/luabind/sandbox"
)

// toolFile is a file x.lua whose tool has the given fields.
func toolFile(fields string) string {
	return "-- x.lua --\nreturn tool{\n  description = \"A tool for one test alone.\",\n  " + fields + ",\n}\n"
}

func TestCallFaults(t *testing.T) { bothWays(t, testCallFaults) }

func testCallFaults(t *testing.T) {
	for _, tt := range []struct {
		name, fields string
		kind         sandbox.FaultKind
		want         string // what the model reads
	}{
		{"a raised message reaches the model as it is", `run = function() error("no such city") end`, sandbox.Raised, "no such city"},
		{"a hint follows a dash", `run = function() error{ message = "no such city", hint = "add the country" } end`, sandbox.Raised, "no such city — add the country"},
		{"assert with a message counts as error", `run = function() assert(false, "no such file") end`, sandbox.Raised, "no such file"},
		{"any other error is a fault of the tool, with its place", `run = function() local x = nil; return x.y end`, sandbox.Broken, "the tool has a fault: "},
		{"what cannot be sent is a fault of the tool", `run = function() return { f = function() end } end`, sandbox.Broken, "the tool has a fault: "},
		{"output that does not fit is a fault that names the path", `output = { n = "number" }, run = function() return { n = "one" } end`, sandbox.Broken, "the tool has a fault: what it returned does not fit its output: "},
		{"declared output that is missing", `output = { n = "number" }, run = function() return "one" end`, sandbox.Broken, "the tool has a fault: "},
		{"a loop ends at the tool's own timeout", `timeout = "50ms", run = function() while true do end end`, sandbox.Timeout,
			"the call was stopped after 50ms, the limit of tools/x (timeout in tools/x.lua)"},
		{"a protected loop ends too", `timeout = "50ms", run = function() while true do pcall(function() while true do end end) end end`, sandbox.Timeout,
			"the call was stopped after 50ms, the limit of tools/x (timeout in tools/x.lua)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := find(t, openGood(t, toolFile(tt.fields)).Snapshot(), "tools/x")
			res, err := tool.Call(t.Context(), json.RawMessage("{}"))
			f, ok := errors.AsType[*sandbox.Fault](err)
			if !ok {
				t.Fatalf("err = %v, want a fault; result %q", err, text(res))
			}
			if f.Kind != tt.kind {
				t.Errorf("kind %v, want %v", f.Kind, tt.kind)
			}
			if !res.IsError || !strings.HasPrefix(text(res), tt.want) {
				t.Errorf("result %q, want %q", text(res), tt.want)
			}
			if tt.kind == sandbox.Broken && !strings.Contains(text(res), "(tools/x.lua:") {
				t.Errorf("result %q names no place", text(res))
			}
		})
	}
}

func TestLimits(t *testing.T) {
	l, _ := openArchive(t, toolFile(`run = function() while true do end end`), Options{Limits: sandbox.Limits{Steps: 100_000}})
	res, err := find(t, l.Snapshot(), "tools/x").Call(t.Context(), json.RawMessage("{}"))
	f, ok := errors.AsType[*sandbox.Fault](err)
	if !ok || f.Kind != sandbox.Limit || !strings.HasPrefix(text(res), "the tool went over a limit: ") {
		t.Errorf("%v, %q", err, text(res))
	}
}

func TestDeadlineOfTheCaller(t *testing.T) {
	for _, tt := range []struct {
		name, fields, want string
		wait               time.Duration
	}{
		{"a tool without a time of its own", `run = function() while true do end end`, "the limit of a call (--timeout, or timeout in the tool)", 50 * time.Millisecond},
		{"a tool that would have had longer", `timeout = "1h", run = function() while true do end end`, "the limit that the caller set (--timeout), which is shorter than the tool's own", 50 * time.Millisecond},
		{"a deadline made of the tool's own timeout", `timeout = "80ms", run = function() while true do end end`, "the limit of tools/x (timeout in tools/x.lua)", 80 * time.Millisecond},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := find(t, openGood(t, toolFile(tt.fields)).Snapshot(), "tools/x")
			ctx, cancel := context.WithTimeout(t.Context(), tt.wait)
			defer cancel()
			res, err := tool.Call(ctx, json.RawMessage("{}"))
			f, ok := errors.AsType[*sandbox.Fault](err)
			if !ok || f.Kind != sandbox.Timeout || !strings.HasSuffix(text(res), tt.want) {
				t.Errorf("%+v, %q", err, text(res))
			}
		})
	}
}

func TestCancel(t *testing.T) {
	for _, body := range []string{
		`while true do end`,
		`while true do pcall(function() while true do end end) end`,
		`local co = coroutine.wrap(function() while true do end end) while true do co() end`,
		`ctx:sleep("1h")`,
	} {
		t.Run(body, func(t *testing.T) {
			started := make(chan struct{})
			tool := find(t, openGood(t, toolFile(`run = function(args, ctx) print("started"); `+body+` end`)).Snapshot(), "tools/x")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ctx = WithCall(ctx, &luabind.CallInfo{Log: func(level, text string) { close(started) }})
			go func() { <-started; cancel() }()
			res, err := tool.Call(ctx, json.RawMessage("{}"))
			f, ok := errors.AsType[*sandbox.Fault](err)
			if !ok || f.Kind != sandbox.Cancelled || text(res) != "the call was cancelled" {
				t.Errorf("%+v, %q", err, text(res))
			}
		})
	}
	t.Run("a context that has ended runs nothing", func(t *testing.T) {
		tool := find(t, openGood(t, toolFile(`run = function() return "ran" end`)).Snapshot(), "tools/x")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if res, err := tool.Call(ctx, json.RawMessage("{}")); err == nil || !res.IsError {
			t.Errorf("%v, %q", err, text(res))
		}
	})
}

// Whatever a call leaves behind, the next does not see it. Each body answers "new" when it finds nothing.
func TestCallsSeeNothingOfOneAnother(t *testing.T) { bothWays(t, testCallsSeeNothingOfOneAnother) }

func testCallsSeeNothingOfOneAnother(t *testing.T) {
	for _, tt := range []struct{ name, top, body string }{
		{"an upvalue", `local seen`, `local was = seen; seen = true; return was and "old" or "new"`},
		{"a counter", `local n = 0`, `n = n + 1; return n == 1 and "new" or "old"`},
		{"a table of the file", `local t = {}`, `local was = t.x; t.x = 1; return was and "old" or "new"`},
		{"a metatable of a table of the file", `local t = {}`, `local was = getmetatable(t); setmetatable(t, {}); return was and "old" or "new"`},
		{"a list sorted in place", `local t = { 3, 1, 2 }`, `local was = t[1]; table.sort(t); return was == 3 and "new" or "old"`},
		{"a module's table", `local m = require "lib.m"`, `local was = m.x; m.x = 1; return was and "old" or "new"`},
		{"a module loaded in the call", ``, `local m = require "lib.m"; local was = m.x; m.x = 1; return was and "old" or "new"`},
		{"a global, by rawset on _G", ``, `local was = pcall(rawset, _G, "leak", 1); return was and "old" or "new"`},
		{"a library table", ``, `local was = pcall(rawset, string, "leak", 1); return (was or rawget(string, "leak")) and "old" or "new"`},
		{"a library field", ``, `local was = pcall(function() string.leak = 1 end); return was and "old" or "new"`},
		{"the metatable of strings", ``, `local m = getmetatable(""); local was = type(m) == "table" and pcall(rawset, m, "__index", nil); return was and "old" or "new"`},
		{"a coroutine of the file", `local co = coroutine.create(function() coroutine.yield("new") return "old" end)`, `local _, x = coroutine.resume(co); return x`},
		{"a generator of the file", `local next = ("ab"):gmatch(".")`, `return next() == "a" and "new" or "old"`},
		{"an error with upvalues", `local n = 0`, `n = n + 1; pcall(error, "x"); return n == 1 and "new" or "old"`},
		{"marks of arguments", `local t = { list = array{} }`, `local m = getmetatable(t.list); if type(m) == "table" then local was = m.leak; m.leak = 1; return was and "old" or "new" end return "new"`},
		{"what is set and unset", `local t = { a = 1 }`, `local was = #t + (t.b or 0); t.b = 1; t.b = nil; return was == 0 and "new" or "old"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := find(t, openGood(t, "-- lib/m.lua --\nreturn {}\n-- x.lua --\n"+tt.top+"\nreturn tool{ description = 'A tool for one test alone.', run = function(args) "+tt.body+" end }\n").Snapshot(), "tools/x")
			for i := range 3 {
				if got := callText(t, tool, "{}"); got != "new" {
					t.Errorf("call %d: %q", i+1, got)
				}
			}
		})
	}
}

func TestKeep(t *testing.T) { bothWays(t, testKeep) }

func testKeep(t *testing.T) {
	const archive = `
-- c.lua --
local n = 0
return {
  tool{ name = "up", description = "Counts up and says how far.", keep = true, run = function() n = n + 1 return "n=" .. n end },
  tool{ name = "look", description = "Says how far it was counted.", keep = true, run = function() return "n=" .. n end },
  tool{ name = "fresh", description = "Always sees the first value.", run = function() return "n=" .. n end },
  tool{ name = "fail", description = "Fails, and loses what was kept.", keep = true, run = function() local x = nil; return x.y end },
}
`
	l, dir := openArchive(t, archive, Options{})
	call := func(name string) string { return callText(t, find(t, l.Snapshot(), "tools/"+name), "{}") }
	equal(t, "faults", faults(l.Snapshot()), nil)
	got := []string{call("up"), call("up"), call("look"), call("fresh")}
	equal(t, "keep tools share one state, others have their own", got, []string{"n=1", "n=2", "n=2", "n=0"})

	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() { callText(t, find(t, l.Snapshot(), "tools/up"), "{}") })
	}
	wg.Wait()
	if got := call("look"); got != "n=52" {
		t.Errorf("after 50 calls at once: %s, want n=52", got)
	}
	if _, err := find(t, l.Snapshot(), "tools/fail").Call(t.Context(), json.RawMessage("{}")); err == nil {
		t.Error("no fault")
	}
	if got := call("look"); got != "n=0" {
		t.Errorf("after a fault: %s, want a new state", got)
	}
	call("up")
	write(t, dir, "-- other.lua --\n"+one)
	reload(t, l)
	if got := call("look"); got != "n=1" {
		t.Errorf("after another file came: %s, want the same state", got)
	}
	write(t, dir, "-- c.lua --\n-- edited"+strings.TrimPrefix(archive, "\n-- c.lua --"))
	reload(t, l)
	if got := call("look"); got != "n=0" {
		t.Errorf("after an edit: %s, want a new state", got)
	}
}

func TestKeepCallsWaitInLine(t *testing.T) {
	started := make(chan struct{})
	l := openGood(t, toolFile(`keep = true, run = function(args, ctx) print("in"); while not ctx:cancelled() do end end`))
	tool := find(t, l.Snapshot(), "tools/x")
	first, stop := context.WithCancel(WithCall(t.Context(), &luabind.CallInfo{Log: func(string, string) { close(started) }}))
	done := make(chan struct{})
	go func() { defer close(done); tool.Call(first, json.RawMessage("{}")) }()
	<-started

	t.Run("a deadline that passes in line is a timeout", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		res, err := tool.Call(ctx, json.RawMessage("{}"))
		if f, ok := errors.AsType[*sandbox.Fault](err); !ok || f.Kind != sandbox.Timeout || !strings.Contains(text(res), "the limit of a call") {
			t.Errorf("%+v, %q", err, text(res))
		}
	})
	t.Run("a call that is cancelled in line leaves it", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		_, err := tool.Call(ctx, json.RawMessage("{}"))
		if f, ok := errors.AsType[*sandbox.Fault](err); !ok || f.Kind != sandbox.Cancelled {
			t.Errorf("%+v", err)
		}
	})
	stop()
	<-done
}

func TestManyCallsAtOnce(t *testing.T) { bothWays(t, testManyCallsAtOnce) }

func testManyCallsAtOnce(t *testing.T) {
	states := live.Load()
	l := openGood(t, toolFile(`input = { n = "integer" }, run = function(args) local t = {} for i = 1, 100 do t[i] = args.n end return t[100] + #t end`))
	tool := find(t, l.Snapshot(), "tools/x")
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			if got, want := callText(t, tool, fmt.Sprintf(`{"n":%d}`, i)), fmt.Sprint(i+100); got != want {
				t.Errorf("call %d = %s, want %s", i, got, want)
			}
		})
	}
	wg.Wait()
	l.Close()
	if n := live.Load(); n != states {
		t.Errorf("%d states before, %d after", states, n)
	}
}

func TestAPanicOfTheHostEndsOneCallAlone(t *testing.T) {
	l := openGood(t, toolFile(`run = function() print("x") return "done" end`))
	tool := find(t, l.Snapshot(), "tools/x")
	before := live.Load()
	res, err := tool.Call(WithCall(t.Context(), &luabind.CallInfo{Log: func(string, string) { panic("broken log") }}), nil)
	f, ok := errors.AsType[*sandbox.Fault](err)
	if !ok || f.Kind != sandbox.Crashed || !res.IsError || strings.Contains(text(res), "broken log") || !strings.Contains(f.Panic, "broken log") {
		t.Errorf("%+v, %q", err, text(res))
	}
	if live.Load() != before {
		t.Errorf("%d states are left", live.Load()-before)
	}
	if got := callText(t, tool, ""); got != "done" {
		t.Errorf("the next call: %q", got)
	}
}

func TestArguments(t *testing.T) {
	tool := find(t, openGood(t, toolFile(`run = function(args) local n = 0 for _ in pairs(args) do n = n + 1 end return n end`)).Snapshot(), "tools/x")
	for args, want := range map[string]string{"": "0", "{}": "0", `{"a":1,"b":null}`: "1"} {
		if got := callText(t, tool, args); got != want {
			t.Errorf("%q: %s, want %s", args, got, want)
		}
	}
	res, err := tool.Call(t.Context(), json.RawMessage(`{"a":`))
	if err == nil || !res.IsError || !strings.HasPrefix(text(res), "the arguments cannot be read: ") {
		t.Errorf("%v, %q", err, text(res))
	}
}

func TestWithCall(t *testing.T) {
	tool := find(t, openGood(t, toolFile(`run = function(args, ctx)
    print("heard")
    return ctx.server .. "/" .. ctx.tool .. " " .. ctx.call_id .. " " .. tostring(ctx.tool_use_id)
  end`)).Snapshot(), "tools/x")
	var log []string
	info := &luabind.CallInfo{CallID: "c1", ToolUseID: "toolu_1", Log: func(level, text string) { log = append(log, level+" "+text) }}
	ctx, cancel := context.WithCancel(WithCall(t.Context(), info)) // the info is found through other contexts too
	defer cancel()
	res, err := tool.Call(ctx, json.RawMessage("{}"))
	if err != nil || text(res) != "tools/x c1 toolu_1" {
		t.Errorf("%q, %v", text(res), err)
	}
	if len(log) != 1 || !strings.HasSuffix(log[0], " heard") {
		t.Errorf("log %q", log)
	}
	if info.Tool != "" {
		t.Error("the caller's CallInfo was changed")
	}
	res, err = tool.Call(WithCall(t.Context(), &luabind.CallInfo{Tool: "own", Server: "given", CallID: "2", ToolUseID: "", Deadline: time.Now().Add(time.Hour)}), json.RawMessage("{}"))
	if err != nil || text(res) != "given/own 2 nil" {
		t.Errorf("%q, %v: what the caller filled in holds", text(res), err)
	}
}

func TestConfirmText(t *testing.T) { bothWays(t, testConfirmText) }

func testConfirmText(t *testing.T) {
	for _, tt := range []struct{ name, fields, want, fault string }{
		{"nothing", `run = function() end`, "", ""},
		{"a text", `confirm = "Really?", run = function() end`, "Really?", ""},
		{"a function of the arguments", `confirm = function(args) return "Deploy " .. args.version .. "?" end, input = { version = "string" }, run = function() end`, "Deploy v1?", ""},
		{"a function that sees no reason to ask", `confirm = function(args) return nil end, run = function() end`, "", ""},
		{"a function that fails", `confirm = function(args) return args.x.y end, run = function() end`, "", "x"},
		{"a function that returns no text", `confirm = function() return 1 end, run = function() end`, "", "confirm returned a number: want the text of a question, or nil"},
		{"with keep, nothing of the kept state changes", `keep = true, confirm = function(args) return "Sure?" end, run = function() end`, "Sure?", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := find(t, openGood(t, toolFile(tt.fields)).Snapshot(), "tools/x")
			got, err := tool.ConfirmText(t.Context(), json.RawMessage(`{"version":"v1"}`))
			if got != tt.want || (err == nil) != (tt.fault == "") || err != nil && !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("%q, %v; want %q, %q", got, err, tt.want, tt.fault)
			}
		})
	}
}

// One string of the arguments is bounded as one that Lua code makes is.
func TestAStringArgumentThatIsTooLongIsRefused(t *testing.T) {
	for _, tt := range []struct {
		name  string
		limit int
		n     int
		want  string
	}{
		{"one that fits", 10, 10, "10"},
		{"one that is too long", 10, 11, "an argument is too long: at byte 5: a string of 11 bytes, more than the 10 that one string may have; send less, or in several calls"},
		{"the limit that holds when none is set", 0, 30 << 20, "an argument is too long: at byte 5: a string of 31457280 bytes, more than the 16777216"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, _ := openArchive(t, toolFile(`run = function(args) return #args.s end, input = { s = param.string("Any text") }`), Options{Limits: sandbox.Limits{StringBytes: tt.limit}})
			res, _ := find(t, l.Snapshot(), "tools/x").Call(t.Context(), json.RawMessage(`{"s":"`+strings.Repeat("x", tt.n)+`"}`))
			if got := text(res); !strings.HasPrefix(got, tt.want) || res.IsError != (got != "10") {
				t.Errorf("result %q, want %q", got, tt.want)
			}
		})
	}
}
