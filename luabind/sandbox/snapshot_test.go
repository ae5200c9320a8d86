package sandbox

import (
	"context"
	"reflect"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// callTwice loads src, which returns a function, records, calls it once and asks whether the state is unchanged.
func recordAndCall(t *testing.T, src string) (ok bool, reason string) {
	t.Helper()
	s, fn := loaded(t, src)
	defer s.Close()
	s.Require = func(name string) (*lua.FunctionProto, error) { return compiled(t, "return { n = 0 }"), nil }
	s.Record(fn)
	s.Begin(context.Background(), Calling, Limits{}, nil)
	defer s.End()
	if _, err := s.Call(fn); err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return s.Unchanged()
}

func TestAStateThatACallLeftAsItWasServesAgain(t *testing.T) {
	for _, tt := range []struct{ name, src string }{
		{"constants", `local n, s = 1, "x" return function() return n .. s end`},
		{"a table that is read", `local t = { 1, 2, a = { b = 3 } } return function() for k, v in pairs(t) do end return t.a.b end`},
		{"a class", `local C = {} C.__index = C function C.new() return setmetatable({ n = 0 }, C) end
			function C:add() self.n = self.n + 1 end return function() local c = C.new() c:add() return c.n end`},
		{"a helper that is recursive", `local function f(n) if n == 0 then return 0 end return f(n - 1) end return function() return f(10) end`},
		{"library functions in locals", `local fmt, lib, next = string.format, table, next return function() return fmt("%d", lib.maxn({})) end`},
		{"pcall that catches", `return function() pcall(error, "x") pcall(function() local t = nil; t.x = 1 end) end`},
		{"a coroutine of the call", `return function() for i in coroutine.wrap(function() coroutine.yield(1) end) do end end`},
		{"a coroutine left unfinished", `return function() coroutine.wrap(function() coroutine.yield(1) end)() end`},
		{"a slot that is set and set back", `local n = 0 return function() n = 1; n = 0 end`},
		{"insert and remove", `local t = {} return function() table.insert(t, 1) table.remove(t) end`},
		{"NaN", `local nan = 0/0 return function() return nan end`},
		{"the key 0", `local t = { [0] = "a", [-1] = "b", [1.5] = "c", [true] = "d" } return function() return t[0] end`},
		{"deep recursion", `local function f(n) if n > 0 then return 1 + f(n - 1) end return 0 end return function() return f(150) end`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if ok, reason := recordAndCall(t, tt.src); !ok {
				t.Error(reason)
			}
		})
	}
}

func TestAStateThatACallChangedIsKnownWithTheReason(t *testing.T) {
	for _, tt := range []struct{ name, src, reason string }{
		{"a counter", `local count = 0 return function() count = count + 1 end`, "local `count`"},
		{"a memo table", `local cache = {} return function() cache.x = 1 end`, "local `cache`"},
		{"a field", `local cache = { n = 0 } return function() cache.n = 1 end`, "local `cache` → `n`"},
		{"an array item", `local list = { 1, 2 } return function() list[2] = 3 end`, "local `list` → `2`"},
		{"a list that grows", `local list = {} return function() list[#list + 1] = 3 end`, "local `list`"},
		{"a nested field", `local a = { b = { c = 1 } } return function() a.b.c = 2 end`, "local `a` → `b` → `c`"},
		{"a key that is set and removed", `local t = { a = 1 } return function() t.b = 1; t.b = nil end`, "local `t`"},
		{"a metatable", `local t = {} return function() setmetatable(t, {}) end`, "local `t`"},
		{"a field of a metatable", `local mt = {} local t = setmetatable({}, mt) return function() mt.__index = t end`, "local `mt`"},
		{"sorting in place", `local t = { 3, 1, 2 } return function() table.sort(t) end`, "local `t` → `1`"},
		{"a table used as key", `local k = { n = 1 } local t = { [k] = true } return function() for k in pairs(t) do k.n = 2 end end`, "`n`"},
		{"0 becomes -0", `local n = 0 return function() n = -n end`, "local `n`"},
		{"a local of a helper", `local function f() local n = 0 return function() n = n + 1 end end local g = f() return function() g() end`, "local `g` → local `n`"},
		{"rawset", `local t = { a = 1 } return function() rawset(t, "a", 2) end`, "local `t` → `a`"},
		{"through an alias", `local t = { a = { 1 } } local u = t.a return function() t.a = nil; t.a = { 1 } end`, "local `t` → `a`"},
		{"through an error object", `local t = { n = 1 } return function() local _, e = pcall(error, t) e.n = 2 end`, "local `t` → `n`"},
		{"from a coroutine", `local t = { n = 1 } return function() coroutine.wrap(function() t.n = 2 end)() end`, "local `t` → `n`"},
		{"a module required in the call", `return function() return require("lib.x") end`, "a module was required for the first time"},
		{"a stack that grew", `local function f(n) if n > 0 then return 1 + f(n - 1) end return select("#", unpack({}, 1, 7900)) end return function() return f(1) end`, "the Lua stack grew"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ok, reason := recordAndCall(t, tt.src)
			if ok || !strings.Contains(reason, tt.reason) {
				t.Errorf("unchanged = %v, %q; want %q", ok, reason, tt.reason)
			}
		})
	}
}

func TestALoadWhoseInsideCannotBeSeenServesOnce(t *testing.T) {
	for _, tt := range []struct{ name, src, reason string }{
		{"a coroutine", `local co = coroutine.create(function() end) return function() return co end`, "a coroutine in local `co`"},
		{"a generator", `local next = coroutine.wrap(function() end) return function() return next end`, "an iterator"},
		{"an iterator", `local t = { it = ("a b"):gmatch("%a") } return function() return t end`, "in local `t` → `it`"},
		{"too much", `local t = {} for i = 1, 100001 do t[i] = i end return function() return t end`, "more than 100000 values"},
		{"a local of a coroutine", `local f coroutine.wrap(function() local n = 0 f = function() n = n + 1 return n end coroutine.yield() end)() return function() return f() end`, "a local of a coroutine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ok, reason := recordAndCall(t, tt.src)
			if ok || !strings.Contains(reason, tt.reason) {
				t.Errorf("unchanged = %v, %q; want %q", ok, reason, tt.reason)
			}
		})
	}
}

type sealedValue []lua.LValue

func (s sealedValue) Sealed() []lua.LValue { return s }

func TestASealedUserdataIsSeenThrough(t *testing.T) {
	s, fn := loaded(t, `local n = 0 return function() n = n + 1 end`)
	defer s.Close()
	s.Record(&lua.LUserData{Value: sealedValue{fn}, Metatable: lua.LNil})
	s.Begin(context.Background(), Calling, Limits{}, nil)
	defer s.End()
	if ok, reason := s.Unchanged(); !ok {
		t.Error(reason)
	}
	if _, err := s.Call(fn); err != nil {
		t.Fatal(err)
	}
	if ok, _ := s.Unchanged(); ok {
		t.Error("the change was not seen")
	}
	s.Record(&lua.LUserData{Value: 1, Metatable: lua.LNil})
	if ok, reason := s.Unchanged(); ok || reason != "a userdata" {
		t.Errorf("foreign userdata: %v %q", ok, reason)
	}
}

// The comparison rests on all fields of these. When a new gopher-lua changes one, Record, Unchanged and the reasons in the package comment
// must be looked at before the list is.
func TestTheFieldsOfGopherLuaAreTheOnesThatWereLookedAt(t *testing.T) {
	for _, tt := range []struct {
		typ  reflect.Type
		want string
	}{
		{reflect.TypeFor[lua.LTable](), "Metatable lua.LValue, array []lua.LValue, dict map[lua.LValue]lua.LValue, strdict map[string]lua.LValue, keys []lua.LValue, k2i map[lua.LValue]int"},
		{reflect.TypeFor[lua.LFunction](), "IsG bool, Env *lua.LTable, Proto *lua.FunctionProto, GFunction lua.LGFunction, Upvalues []*lua.Upvalue"},
		{reflect.TypeFor[lua.LState](), "G *lua.Global, Parent *lua.LState, Env *lua.LTable, Panic func(*lua.LState), Dead bool, Options lua.Options, stop int32, reg *lua.registry, stack lua.callFrameStack, alloc *lua.allocator, currentFrame *lua.callFrame, wrapped bool, uvcache *lua.Upvalue, hasErrorFunc bool, mainLoop func(*lua.LState, *lua.callFrame), ctx context.Context, ctxCancelFn context.CancelFunc"},
		{reflect.TypeFor[lua.Upvalue](), "next *lua.Upvalue, reg *lua.registry, index int, value lua.LValue, closed bool"},
		{reflect.TypeFor[lua.Global](), "MainThread *lua.LState, CurrentThread *lua.LState, Registry *lua.LTable, Global *lua.LTable, builtinMts map[int]lua.LValue, tempFiles []*os.File, gccount int32"},
		{reflect.TypeFor[lua.LUserData](), "Value interface {}, Env *lua.LTable, Metatable lua.LValue"},
	} {
		t.Run(tt.typ.Name(), func(t *testing.T) {
			var fields []string
			for f := range tt.typ.Fields() {
				fields = append(fields, f.Name+" "+f.Type.String())
			}
			if got := strings.Join(fields, ", "); got != tt.want {
				t.Errorf("fields are now\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestComparingDoesNotAllocate(t *testing.T) {
	s, fn := loaded(t, twentySlots)
	defer s.Close()
	s.Record(fn)
	s.Begin(context.Background(), Calling, Limits{}, nil)
	defer s.End()
	if n := testing.AllocsPerRun(100, func() {
		if ok, reason := s.Unchanged(); !ok {
			t.Fatal(reason)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

const twentySlots = `
	local units = { "celsius", "fahrenheit", "kelvin" }
	local names = { celsius = "C", fahrenheit = "F", kelvin = "K" }
	local C = {} C.__index = C
	function C.new(n) return setmetatable({ n = n }, C) end
	function C:add(m) self.n = self.n + m end
	local floor, limit, title = math.floor, 10, "x"
	local function f(n) return floor(n) + limit .. title .. units[1] .. names.celsius end
	return function() local c = C.new(1) c:add(2) return f(c.n) end`

func BenchmarkUnchanged(b *testing.B) {
	for _, bm := range []struct{ name, src string }{
		{"20-slots", twentySlots},
		{"2500-slots", `local t = {} for i = 1, 500 do t[i] = { id = i, name = "n" .. i, on = true, x = i / 2 } end return function() return #t end`},
	} {
		b.Run(bm.name, func(b *testing.B) {
			s, fn := loaded(b, bm.src)
			s.Record(fn)
			b.ReportAllocs()
			for b.Loop() {
				if ok, reason := s.Unchanged(); !ok {
					b.Fatal(reason)
				}
			}
			b.ReportMetric(float64(len(s.snapshot.values)), "slots")
		})
	}
}

func BenchmarkRecord(b *testing.B) {
	s, fn := loaded(b, twentySlots)
	b.ReportAllocs()
	for b.Loop() {
		s.Record(fn)
	}
}
