package sandbox

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

var testModules = []*Module{
	{Name: "json", Funcs: map[string]lua.LGFunction{"encode": func(L *lua.LState) int { L.Push(lua.LString("{}")); return 1 }},
		Values: map[string]lua.LValue{"null": &lua.LUserData{Value: typedValue("null"), Metatable: list()}}},
	{Name: "", Funcs: map[string]lua.LGFunction{"print": func(L *lua.LState) int { return 0 }}},
	{Name: "param", Call: func(L *lua.LState) int { L.Push(lua.LNumber(L.GetTop())); return 1 }, Values: map[string]lua.LValue{"units": list("m", "s")}},
	{Name: "math", Funcs: map[string]lua.LGFunction{"sum": func(L *lua.LState) int { L.Push(lua.LNumber(3)); return 1 }}},
}

type typedValue string

func (v typedValue) LuaType() string { return string(v) }

func list(items ...string) *lua.LTable {
	t := &lua.LTable{Metatable: lua.LNil}
	for _, s := range items {
		t.Append(lua.LString(s))
	}
	return t
}

func TestModulesAreReadOnlyTables(t *testing.T) {
	env := NewEnv(testModules)
	for src, want := range map[string]string{
		`return json.encode({}), type(json), type(json.null)`:                                                                     "{} table null",
		`return print(1), type(print)`:                                                                                            "nil function",
		`return param(1, 2, 3), param.units[2], #param.units, type(param.units)`:                                                  "3 s 2 table",
		`local r = "" for i, u in ipairs(param.units) do r = r .. i .. u end return r`:                                            "1m2s",
		`return math.sum(), math.floor(1.5)`:                                                                                      "3 1",
		`return select(2, pcall(function() json.encode = 1 end))`:                                                                 "test.lua:1: json is read-only",
		`return select(2, pcall(function() param.units[1] = "x" end))`:                                                            "test.lua:1: param.units is read-only",
		`return select(2, pcall(function() return json.decode end))`:                                                              "test.lua:1: json has no field 'decode'; did you mean 'encode'?",
		`return _G.json == json, _G._G == _G, rawget(_G, "json") == json, rawget(_G, "nothing")`:                                  "true true true nil",
		`local n = 0 for k in pairs(_G) do n = n + 1 end local m = 0 for k in next, _G do m = m + 1 end return n == m and n > 20`: "true",
		`local t = setmetatable({}, { __index = string }) return t.upper("x")`:                                                    "X",
		`return getmetatable(json.null), getmetatable(""), getmetatable(string)`:                                                  "the metatable is locked the metatable is locked the metatable is locked",
		`return tostring(string), tostring(_G)`:                                                                                   "table: string table: _G",
	} {
		got, f := runIn(t, env, src, Limits{})
		if f != nil {
			t.Errorf("%s: %s", src, f.Message)
		} else if got != want {
			t.Errorf("%s = %q, want %q", src, got, want)
		}
	}
	if !env.Has("json") || !env.Has("pcall") || !env.Has("_G") || env.Has("(concat)") || env.Has("nothing") {
		t.Error("Has is wrong")
	}
	for name, want := range map[string]string{"jsno": "json", "prnt": "print", "tabel": "table", "xyzzy": "", "strng": "string", "": ""} {
		if got := env.Near(name); got != want {
			t.Errorf("Near(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestAConstantOfAModuleDoesNotHinderReuse(t *testing.T) {
	s := NewEnv(testModules).NewState()
	defer s.Close()
	s.Begin(context.Background(), Calling, Limits{}, nil)
	defer s.End()
	values, err := s.Run(compiled(t, `local null = json.null return function() return null end`))
	if err != nil {
		t.Fatal(err)
	}
	s.Record(values...)
	if ok, reason := s.Unchanged(); !ok {
		t.Error(reason)
	}
}

func TestNamingAFunctionTwicePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	NewEnv([]*Module{{Name: "string", Funcs: map[string]lua.LGFunction{"rep": strRep}}})
}

// everyValue calls every function of every library with every library value in every position, and then proves that all libraries are
// what they were.
const everyValue = `
	local libs = { string, table, math, coroutine, os, _G, json, param, param.units, json.null }
	local function survey()
		local out = {}
		for i, lib in ipairs(libs) do
			if type(lib) == "table" then
				for k, v in pairs(lib) do out[#out + 1] = i .. ":" .. tostring(k) .. "=" .. tostring(v) end
				out[#out + 1] = tostring(getmetatable(lib))
			end
		end
		return table.concat(out, "\n")
	end
	local before = survey()
	local skip = { error = true, assert = true, require = true }
	for _, lib in ipairs(libs) do
		if type(lib) == "table" then
			for name, fn in pairs(lib) do
				if type(fn) == "function" and not skip[name] then
					for _, a in ipairs(libs) do
						pcall(fn, a)
						pcall(fn, a, "upper", 1)
						pcall(fn, a, 1, 1)
						pcall(fn, a, function() return true end)
						pcall(fn, {}, a)
						pcall(fn, {}, a, a)
						pcall(fn, 1, a)
						pcall(fn, "x", a, a)
						pcall(fn, "x", "x", a)
						for _, b in ipairs(libs) do pcall(fn, a, b) pcall(fn, a, "k", b) end
					end
				end
			end
			pcall(function() lib.x = 1 end)
			pcall(function() lib.upper = nil end)
			pcall(function() lib[1] = nil end)
		end
	end
	assert(survey() == before)
	return survey()`

func TestNoFunctionChangesALibrary(t *testing.T) {
	env := NewEnv(testModules)
	first, f := runIn(t, env, everyValue, Limits{})
	if f != nil {
		t.Fatal(f.Message, f.Traceback, f.Panic)
	}
	second, f := runIn(t, env, everyValue, Limits{})
	if f != nil || first != second || len(first) < 2000 {
		t.Errorf("the second state sees\n%s\nthe first saw\n%s\n%v", second, first, f)
	}
}

// TestStatesOfOneEnvironmentRunSideBySide is worth its time under the race detector.
func TestStatesOfOneEnvironmentRunSideBySide(t *testing.T) {
	env := NewEnv(testModules)
	work := compiled(t, `
		local t = {}
		for _, lib in ipairs({ string, table, math, coroutine, os, _G, json, param }) do
			for k, v in pairs(lib) do t[#t + 1] = tostring(k) end
			pcall(function() lib.x = 1 end)
			pcall(rawset, lib, "x", 1)
			pcall(setmetatable, lib, {})
			pcall(function() return lib.nothing end)
		end
		table.sort(t)
		local n = 0
		for w in coroutine.wrap(function() for _, w in ipairs(t) do coroutine.yield(w) end end) do n = n + #w:upper():gsub("%w", "%0") end
		local ok, e = pcall(error, { message = "m" })
		return n, ("%d %s"):format(n, e.message), math.random() < 1`)
	var wg sync.WaitGroup
	results := make([]string, 8)
	for g := range results {
		wg.Go(func() {
			for range 20 {
				s := env.NewState()
				s.Begin(context.Background(), Calling, Limits{}, nil)
				values, err := s.Run(work)
				if err != nil {
					t.Error(err)
				}
				results[g] = fmt.Sprint(values)
				s.End()
				s.Close()
			}
		})
	}
	wg.Wait()
	for _, r := range results {
		if r != results[0] || r == "" {
			t.Errorf("%q and %q differ", r, results[0])
		}
	}
}

func TestModulesAreRequiredOnceAState(t *testing.T) {
	sources := map[string]string{
		"lib.counter": `local n = 0 return { next = function() n = n + 1 return n end, name = ... }`,
		"lib.a":       `return require("lib.b")`,
		"lib.b":       `return require("lib.a")`,
		"lib.bad":     "local t = nil\nreturn t.x",
		"lib.none":    `local x = 1`,
		"lib.clock":   `return os.time()`,
	}
	state := func(mode Mode) *State {
		s := testEnv.NewState()
		s.Require = func(name string) (*lua.FunctionProto, error) {
			src, ok := sources[name]
			if !ok {
				return nil, fmt.Errorf("no module %q in lib", name)
			}
			chunk, err := Parse(name, []byte(src))
			if err != nil {
				return nil, err
			}
			return Compile(chunk, name)
		}
		s.Begin(context.Background(), mode, Limits{}, nil)
		return s
	}
	for _, tt := range []struct{ name, src, want string }{
		{"the same table each time", `local a, b = require("lib.counter"), require("lib.counter") a.next() return a == b, b.next(), a.name`, "true 2 lib.counter"},
		{"a module that returns nothing", `return require("lib.none")`, "true"},
		{"a cycle", `return (select(2, pcall(require, "lib.a")))`, `lib.b:1: require "lib.a" leads back to itself: lib.a → lib.b → lib.a`},
		{"a fault names its own line", `return (select(2, pcall(require, "lib.bad")))`, "lib.bad:2: attempt to index a non-table object(nil) with key 'x'"},
		{"an unknown module", `return (select(2, pcall(require, "lib.zzz")))`, `no module "lib.zzz" in lib`},
		{"a module loads as a file does, also when run asks first", `return (select(2, pcall(require, "lib.clock")))`, "lib.clock:1: os.time without a table works only inside run"},
		{"and run goes on as before", `pcall(require, "lib.clock") pcall(require, "lib.bad") return os.time() > 0`, "true"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := state(Calling)
			defer s.Close()
			got, f := runState(t, s, tt.src)
			if f != nil || !strings.Contains(got, tt.want) {
				t.Errorf("%q %v, want %q", got, f, tt.want)
			}
		})
	}
}

func TestChanceAndClockWorkOnlyInsideRun(t *testing.T) {
	for _, src := range []string{"math.random()", "math.randomseed(1)", "os.time()", "os.clock()", "os.date()"} {
		for _, mode := range []Mode{Loading, Lean, Pure, Calling} {
			s := testEnv.NewState()
			s.Begin(context.Background(), mode, Limits{}, nil)
			_, f := runState(t, s, "local x = "+src)
			if (f == nil) != (mode == Calling) || f != nil && !strings.Contains(f.Message, "works only inside run") {
				t.Errorf("%s in mode %d: %v", src, mode, f)
			}
			s.Close()
		}
	}
	s, fn := loaded(t, `return function(seed) if seed then math.randomseed(seed) end return math.random(2^53) end`)
	defer s.Close()
	draw := func(args ...lua.LValue) lua.LValue {
		s.Begin(context.Background(), Calling, Limits{}, nil)
		defer s.End()
		values, err := s.Call(fn, args...)
		if err != nil {
			t.Fatal(err)
		}
		return values[0]
	}
	if draw(lua.LNumber(7)) != draw(lua.LNumber(7)) {
		t.Error("one seed gives two numbers")
	}
	if a, b := draw(), draw(); a == b {
		t.Errorf("two calls drew %v", a)
	}
}
