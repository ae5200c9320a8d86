package attacks

import (
	"context"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/sandbox"
)

// The tests of this file show the faults of gopher-lua that let a tool harm its host, and that the sandbox is free of them; what is merely
// wrong in it is shown beside the detours, in luabind/sandbox. One that fails says that a new version has mended the fault: then its detour
// may go.

// answers joins the results, or says what was raised or panicked.
func answers(t *testing.T, L *lua.LState, source string) (text string) {
	t.Helper()
	defer func() {
		if p := recover(); p != nil {
			text = "panic"
		}
	}()
	fn, err := L.LoadString(source)
	if err != nil {
		return "load error"
	}
	base := L.GetTop()
	L.Push(fn)
	if err := L.PCall(0, lua.MultRet, nil); err != nil {
		if strings.Contains(err.Error(), "runtime error: ") {
			return "panic"
		}
		return "error"
	}
	var all []string
	for i := base + 1; i <= L.GetTop(); i++ {
		all = append(all, L.Get(i).String())
	}
	return strings.Join(all, " ")
}

// guarded runs source in the sandbox.
func guarded(t *testing.T, source string) string {
	t.Helper()
	chunk, err := sandbox.Parse("x.lua", []byte(source))
	if err != nil {
		return "load error"
	}
	proto, err := sandbox.Compile(chunk, "x.lua")
	if err != nil {
		return "load error"
	}
	s := sandbox.NewEnv(nil).NewState()
	defer s.Close()
	s.Begin(t.Context(), sandbox.Calling, sandbox.Limits{}, nil)
	defer s.End()
	values, err := s.Run(proto)
	if err != nil {
		return "error"
	}
	var all []string
	for _, v := range values {
		all = append(all, v.String())
	}
	return strings.Join(all, " ")
}

func TestUpstreamAnswers(t *testing.T) {
	for _, tt := range []struct{ name, source, right, upstream string }{
		{"pcall closes the upvalues of its callers (gopher-lua #448)",
			`local n = 0
			local function get() return n end
			for i = 1, 5 do pcall(function() n = n + 1 error("x") end) end
			n = n + 1
			return n .. " " .. get()`, "6 6", "6 1"},
		{"xpcall leaves open upvalues that point at registers of others",
			`local kept
			xpcall(function() local x = 7 kept = function() return x end error("x") end, function(e) return e end)
			local a, b, c, d, e, f, g, h, i, j = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
			return kept()`, "7", "5"},
		{"a stale upvalue of xpcall is read from a register that is no value",
			`local kept
			local function f() local x = 7 kept = function() return x end error("x") end
			local function go() xpcall(f, function(e) local a, b, c, d = 1, 2, 3, 4 return e end) end
			go()
			local function g(...) local a, b, c, d, e, f, g = 11, 12, 13, 14, 15, 16, 17 return tostring(kept()) end
			return g(1, 2, 3)`, "7", "panic"},
		{"table.concat pushes every item on the Lua stack, which overflows",
			`local t = {} for i = 1, 6000 do t[i] = "x" end return #table.concat(t)`, "6000", "error"},
		{"string.rep panics in Go", `return (select(2, pcall(string.rep, "xxxx", 2 ^ 62)):find("Repeat", 1, true))`, "nil", "10"},
		{"setmetatable replaces the metatable of all strings",
			`setmetatable("", { __index = function() return "owned" end }) return ("x").y`, "error", "owned"},
		{"assert takes strings alone for messages", `return type(select(2, pcall(assert, false, {})))`, "table", "string"},
		{"a call assigned to its own argument calls the argument", `local function g(f, x) x = (f(x)) return x end return g(tostring, 5)`, "5", "panic"},
		{"yield inside a metamethod panics",
			`local co = coroutine.wrap(function() return setmetatable({}, { __index = function() return coroutine.yield(1) end }).x end)
			co() return co(42)`, "error", "panic"},
		{"yield inside an iterator panics",
			`local co = coroutine.wrap(function() for x in function() return coroutine.yield(1) end do return x end end)
			co() return co(42)`, "error", "panic"},
		{"a coroutine of a Go function never ends",
			`local co = coroutine.create(tostring) coroutine.resume(co, 1) return coroutine.status(co)`, "dead", "running"},
		{"table.insert with a position and no value", `return tostring(pcall(table.insert, { 1, 2, 3 }, 2, nil, 5))`, "false", "true"},
		{"tostring hands on what __tostring answers", `return type(tostring(setmetatable({}, { __tostring = function() return {} end })))`, "error", "table"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			L := lua.NewState()
			defer func() {
				recover() // a state that panicked cannot always be closed
			}()
			defer L.Close()
			if got := answers(t, L, tt.source); got != tt.upstream {
				t.Errorf("gopher-lua answers %q, and answered %q: look whether its detour in luabind/sandbox may go", got, tt.upstream)
			}
			if got := guarded(t, tt.source); got != tt.right {
				t.Errorf("the sandbox answers %q, want %q", got, tt.right)
			}
		})
	}
}

// counting counts how often the VM asks.
type counting struct {
	context.Context
	n atomic.Int64
}

func (c *counting) Done() <-chan struct{} {
	c.n.Add(1)
	return nil
}

func TestUpstreamLibraryFunctionsDoNotLookAtTheContext(t *testing.T) {
	for _, tt := range []struct{ name, source string }{
		{"a pattern that backtracks", `return (("a"):rep(150)):find(("a*"):rep(3) .. "b")`},
		{"gsub", `return (("a"):rep(1e4)):gsub("a", "b")`},
		{"sort", `local t = {} return table.sort(t)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			L := lua.NewState()
			defer L.Close()
			ctx := &counting{Context: context.Background()}
			L.SetContext(ctx)
			answers(t, L, tt.source)
			if n := ctx.n.Load(); n > 60 {
				t.Errorf("the context was asked %d times", n)
			}
		})
	}
}

func TestUpstreamGsubCopiesTheStringForEachMatch(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	answers(t, L, `return #(("a"):rep(20000):gsub("a", "b"))`)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got < 100<<20 {
		t.Errorf("20,000 matches took %d MiB", got>>20)
	}
}

func TestUpstreamCoroutinesMadeWhileLoadingHaveNoContext(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	answers(t, L, `function go() end co = coroutine.wrap(function() for i = 1, 1e5 do end end)`)
	ctx := &counting{Context: context.Background()}
	L.SetContext(ctx)
	answers(t, L, `co()`)
	if n := ctx.n.Load(); n > 100 {
		t.Errorf("the context was asked %d times", n)
	}
}

func TestUpstreamThreadsHaveAContextOfTheirOwn(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	ctx := &counting{Context: context.Background()}
	L.SetContext(ctx)
	th, cancel := L.NewThread()
	defer cancel()
	if th.Context() == context.Context(ctx) {
		t.Error("a thread has the context of its state")
	}
}

func TestUpstreamTailCallsGrowTheTraceback(t *testing.T) {
	allocated := func(calls string) int64 {
		L := lua.NewState()
		defer L.Close()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		answers(t, L, `local function f(n) if n == 0 then local x; x.y = 1 end return f(n - 1) end f(`+calls+`)`)
		runtime.ReadMemStats(&after)
		return int64(after.TotalAlloc - before.TotalAlloc)
	}
	if more := allocated("1e6") - allocated("10"); more < 16<<20 {
		t.Errorf("a million tail calls before an error take %d KiB", more>>10)
	}
}

func TestUpstreamKeysThatWereRemovedStay(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	table := L.NewTable()
	for i := range 1000 {
		table.RawSetString(strings.Repeat("k", i+1), lua.LTrue)
		table.RawSetString(strings.Repeat("k", i+1), lua.LNil)
	}
	if n := reflect.ValueOf(table).Elem().FieldByName("keys").Len(); n != 1000 {
		t.Errorf("the list of keys has %d", n)
	}
}

func TestUpstreamNextLeavesItsHiddenVariable(t *testing.T) {
	// The third hidden variable of a loop over two names is what lay in its register.
	L := lua.NewState()
	defer L.Close()
	source := `local function f() do local a, b, c, d, e = "a", "a", "a", "a", "a" end
		local n = 0 for k, v in next, { a = 1, b = 2 } do n = n + 1 end return n end return f()`
	if got := answers(t, L, source); got == "2" {
		t.Error("the loop walks the whole table")
	}
	if got := guarded(t, source); got != "2" {
		t.Errorf("the sandbox answers %q", got)
	}
}

// deadly are faults that kill the process. They run in one of their own.
var deadly = map[string]func(){
	"two coroutines that resume each other": func() {
		plain(`local a, b
			a = coroutine.create(function() while true do coroutine.resume(b) end end)
			b = coroutine.create(function() while true do coroutine.resume(a) end end)
			coroutine.resume(a)`)
	},
	"a source whose tree is deep":              func() { plain("return " + strings.Repeat("not ", 2_000_000) + "1") },
	"a pattern that the matcher recurses over": func() { plain(`return (("a"):rep(1e6)):find(("a?"):rep(1e6))`) },
	"an index that an array is filled up to": func() {
		lua.MaxArrayIndex = 67108864 // as it is without the sandbox
		plain(`local all = {} for i = 1, 8 do local t = {} t[67108863] = 1 all[i] = t end`)
	},
	"a long string": func() { plain(`return ("x"):rep(1e10)`) },
}

func plain(source string) {
	debug.SetMaxStack(64 << 20) // the limit is a gigabyte: the same end, later
	L := lua.NewState()
	if err := L.DoString(source); err != nil {
		os.Stderr.WriteString(err.Error()[:min(len(err.Error()), 500)])
	}
}

func TestUpstreamKillsItsProcess(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector's own memory leaves no bound to run into")
	}
	if runtime.GOOS != "linux" && testing.Short() {
		t.Skip("without a bound for memory this takes long")
	}
	for name := range deadly {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), upstreamVariable+"="+name)
			out, err := cmd.CombinedOutput()
			if err == nil {
				t.Errorf("the process lives: look whether the detour in luabind/sandbox may go\n%s", head(string(out)))
			}
		})
	}
}
