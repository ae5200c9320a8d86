package scripts

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/luatools/luatools/luabind"
)

const (
	cleanTool   = `input = { n = "integer?" }, run = function(args) local t = {} for i = 1, 10 do t[i] = i end return #t end`
	changedTool = `run = function() n = n + 1 return n end`
)

func TestStatesServeAgain(t *testing.T) {
	for _, tt := range []struct {
		name, top, fields string
		serves            bool
		leftover          string
	}{
		{"a tool that leaves nothing", "", cleanTool, true, ""},
		{"with helpers and constants of the file", "local words = { 'a', b = { 'c' } }\nlocal function help(x) return words[1] .. x end",
			`run = function() return help("x") end`, true, ""},
		{"with a class", "local C = {} C.__index = C\nfunction C.new() return setmetatable({ n = 0 }, C) end\nfunction C:up() self.n = self.n + 1 return self.n end",
			`run = function() return C.new():up() end`, true, ""},
		{"with a module", `local m = require "lib.m"`, `run = function() return m.x end`, true, ""},
		{"that says it could not", "", `run = function() return nil, "no" end`, true, ""},
		{"an upvalue that counts", "local n = 0", changedTool, false, "local `n`"},
		{"a cache", "local cache = {}", `run = function() cache.k = 1 return "" end`, false, "local `cache`"},
		{"a list that is sorted in place", "local l = { 2, 1 }", `run = function() table.sort(l) return "" end`, false, "local `l` → `1`"},
		{"a metatable", "local l = {}", `run = function() setmetatable(l, {}) return "" end`, false, "local `l`"},
		{"a module that is changed", `local m = require "lib.m"`, `run = function() m.y = 1 return "" end`, false, "module `lib.m`"},
		{"a coroutine that cannot be looked into", `local co = coroutine.wrap(function() while true do coroutine.yield("x") end end)`, `run = function() return co() end`, false, "an iterator or another function that keeps something in local `co`"},
		{"ctx that is kept", "local kept", `run = function(args, ctx) kept = ctx return "" end`, false, "local `kept`"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := find(t, openGood(t, "-- lib/m.lua --\nreturn { x = 1 }\n-- x.lua --\n"+tt.top+"\nreturn tool{\n description = 'A tool for one test alone.',\n "+tt.fields+",\n}\n").Snapshot(), "tools/x")
			before := live.Load()
			for range 2 {
				if _, err := tool.Call(t.Context(), json.RawMessage("{}")); err != nil {
					t.Fatal(err)
				}
			}
			p := &tool.file.states.pool
			if got := len(p.idle) == 1; got != tt.serves {
				t.Errorf("idle = %v, want %v", got, tt.serves)
			}
			if tt.serves && p.idle[0].served != 2 {
				t.Errorf("the state served %d calls, want 2", p.idle[0].served)
			}
			if got := live.Load() - before; got != int64(len(p.idle)) {
				t.Errorf("%d states are open, %d are idle", got, len(p.idle))
			}
			if got := tool.Leftover(); got != tt.leftover {
				t.Errorf("leftover %q, want %q", got, tt.leftover)
			}
		})
	}
}

func TestFaultsDropTheState(t *testing.T) {
	for _, fields := range []string{
		`run = function() error("raised") end`,
		`run = function() local x = nil; return x.y end`,
		`run = function() return { f = function() end } end`,
		`timeout = "20ms", run = function() while true do end end`,
	} {
		t.Run(fields, func(t *testing.T) {
			tool := find(t, openGood(t, toolFile(fields)).Snapshot(), "tools/x")
			before := live.Load()
			if _, err := tool.Call(t.Context(), json.RawMessage("{}")); err == nil {
				t.Fatal("no fault")
			}
			if n := len(tool.file.states.pool.idle); n != 0 || live.Load() != before {
				t.Errorf("%d states are idle, %d more are open", n, live.Load()-before)
			}
		})
	}
}

func TestPoolLimits(t *testing.T) {
	t.Run("at most 16 states of a file are idle, and a reload closes them", func(t *testing.T) {
		l, dir := openArchive(t, toolFile(`run = function(args, ctx) print("in") return "" end`), Options{})
		tool := find(t, l.Snapshot(), "tools/x")
		before, all := live.Load(), idleAll.Load()
		var in, wg sync.WaitGroup
		in.Add(40)
		ctx := WithCall(t.Context(), infoLog(func() { in.Done(); in.Wait() })) // until all are in at once
		for range 40 {
			wg.Go(func() { tool.Call(ctx, json.RawMessage("{}")) })
		}
		wg.Wait()
		if n := len(tool.file.states.pool.idle); n != maxIdle || live.Load()-before != maxIdle || idleAll.Load()-all != maxIdle {
			t.Errorf("%d idle, %d open, %d counted, want %d", n, live.Load()-before, idleAll.Load()-all, maxIdle)
		}
		write(t, dir, toolFile(`run = function() return "new" end`))
		reload(t, l)
		if live.Load() != before || idleAll.Load() != all {
			t.Errorf("%d open, %d counted after the reload", live.Load()-before, idleAll.Load()-all)
		}
		if _, err := tool.Call(t.Context(), json.RawMessage("{}")); err != nil || live.Load() != before {
			t.Errorf("a call on the old snapshot: %v, %d open", err, live.Load()-before)
		}
	})
	t.Run("where calls always leave something, most states are made without a record", func(t *testing.T) {
		tool := find(t, openGood(t, "-- x.lua --\nlocal n = 0\nreturn tool{ description = 'A tool for one test alone.', "+changedTool+" }\n").Snapshot(), "tools/x")
		for range maxChanged {
			callText(t, tool, "{}")
		}
		if got := tool.file.states.pool.skip; got != unlooked {
			t.Errorf("skip = %d, want %d", got, unlooked)
		}
		for range unlooked + 1 {
			if got := callText(t, tool, "{}"); got != "1" {
				t.Fatalf("a call saw %s", got)
			}
		}
		if p := &tool.file.states.pool; p.skip != 0 || p.changed != 1 {
			t.Errorf("skip = %d, changed = %d: want a new look", p.skip, p.changed)
		}
	})
	t.Run("a state serves so many calls and no more", func(t *testing.T) {
		tool := find(t, openGood(t, toolFile(cleanTool)).Snapshot(), "tools/x")
		callText(t, tool, "{}")
		p := &tool.file.states.pool
		p.idle[0].served = maxServed - 1
		callText(t, tool, "{}")
		if len(p.idle) != 0 {
			t.Errorf("the state served %d calls and is idle", p.idle[0].served)
		}
	})
}

// Generated tools do the same in a state that served before as in a new one.
func TestReusedAndFreshAnswerAlike(t *testing.T) {
	steps := []string{
		`n = n + 1; out = out .. n`, `t.x = (t.x or 0) + 1; out = out .. t.x`, `out = out .. #l; table.insert(l, 1)`, `table.remove(l); out = out .. #l`,
		`t.x = nil; out = out .. tostring(t.x)`, `for k in pairs(t) do out = out .. type(k) end`, `n = n + 1; n = n - 1; out = out .. n`,
		`local s = {} for i = 1, 3 do s[i] = i end out = out .. #s`, `f = function() return n end; out = out .. f()`, `out = out .. tostring(f and f())`,
		`setmetatable(t, { __index = function(_, k) return k end }); out = out .. tostring(t.q)`, `out = out .. tostring(getmetatable(t) ~= nil)`,
		`pcall(function() t.y = 1 error("x") end); out = out .. tostring(t.y)`, `t[l] = 1; out = out .. tostring(t[l])`, `l, t = t, l; out = out .. #l`,
		`local co = coroutine.wrap(function() n = n + 5 coroutine.yield() end) co(); out = out .. n`, `out = out .. ("x"):rep(#l)`,
	}
	const head = "local n, t, l, f = 0, {}, { 1, 2 }, nil\nreturn tool{ description = 'A tool for one test alone.', run = function() local out = ''\n"
	reuses, renews := testLoader(false), testLoader(true)
	seed := uint64(1)
	for i := range 300 {
		var body strings.Builder
		for range 3 {
			seed = seed*6364136223846793005 + 1442695040888963407
			body.WriteString(steps[seed>>33%uint64(len(steps))] + "\n")
		}
		src := &source{file: "tools/x.lua", server: "tools", base: "x", top: true, text: head + body.String() + "return out end }\n"}
		reused, fresh := reuses.file(t.Context(), src), renews.file(t.Context(), src)
		if !reused.ok() || !fresh.ok() {
			t.Fatalf("%s: %v %v", src.text, reused.problems, fresh.problems)
		}
		for n := range 3 {
			got, want := answer(t, reused), answer(t, fresh)
			if got != want {
				t.Fatalf("tool %d, call %d: %q reused, %q fresh\n%s", i, n, got, want, src.text)
			}
		}
		reused.states.retire()
	}
}

// infoLog is a CallInfo whose log calls f.
func infoLog(f func()) *luabind.CallInfo {
	return &luabind.CallInfo{Log: func(string, string) { f() }}
}

func answer(t *testing.T, f *file) string {
	res, err := f.tools[0].Call(t.Context(), json.RawMessage("{}"))
	return fmt.Sprint(text(res), err)
}
