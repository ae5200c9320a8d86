package sandbox

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// attackLimits are short, so that the whole set runs in seconds. An attack that something else than the clock must stop gets more time,
// because the machine that tests is seldom idle; attackGrace is generous for the same reason.
var attackLimits = Limits{Wall: 100 * time.Millisecond, Steps: 1e9, Bytes: 16 << 20, StringBytes: 4 << 20}

const (
	attackPatience = 10 * time.Second
	attackGrace    = 4 * time.Second
)

// TestNoAttackOutlivesItsLimits runs hostile code. Each names the kinds of faults that are acceptable; "ok" is a run that ends by itself.
func TestNoAttackOutlivesItsLimits(t *testing.T) {
	for _, tt := range []struct{ name, src, want string }{
		// Loops of every kind.
		{"while", `while true do end`, "timeout"},
		{"repeat", `repeat until false`, "timeout"},
		{"for", `for i = 1, math.huge do end`, "timeout"},
		{"for with step 0", `for i = 2, 1, 0 do end`, "timeout"},
		{"goto", `::a:: goto a`, "timeout"},
		{"iterator that never ends", `for x in function() return 1 end do end`, "timeout"},
		{"next in a growing table", `local t = { 1 } while true do t[#t + 1] = 1 for k in pairs(t) do end end`, "timeout"},
		{"tail calls", `local function f() return f() end return f()`, "limit"},
		{"tail calls of two", `local g local function f() return g() end g = function() return f() end f()`, "limit"},
		{"recursion", `local function f() f() end f()`, "limit"},
		{"recursion that is caught again and again", `local function f() f() end while true do pcall(f) end`, "timeout"},
		{"recursion by __index", `local t = {} setmetatable(t, { __index = function(t, k) return t[k .. "x"] end }) return t.x`, "limit"},
		{"recursion by __newindex", `local t = setmetatable({}, { __newindex = function(t, k, v) t[k .. "x"] = v end }) t.a = 1`, "limit"},
		{"recursion by __call", `local t = setmetatable({}, { __call = function(self) return self() end }) t()`, "limit"},
		{"recursion by __tostring", `local t = setmetatable({}, { __tostring = function(t) return tostring(t) end }) tostring(t)`, "limit"},
		{"recursion by __concat", `local t t = setmetatable({}, { __concat = function(a, b) return t .. b end }) return t .. "x"`, "limit"},
		{"recursion by __eq", `local mt = {} local a, b = setmetatable({}, mt), setmetatable({}, mt) mt.__eq = function(a, b) return a == b end return a == b`, "limit"},
		{"recursion by __lt", `local mt = {} local a, b = setmetatable({}, mt), setmetatable({}, mt) mt.__lt = function(a, b) return a < b end return a < b`, "limit"},
		{"recursion by __len", `local t = setmetatable({}, { __len = function(t) return #t end }) return #t`, "limit"},
		{"a chain of __index without end", `local t = {} setmetatable(t, { __index = t }) return t.x`, "broken"},
		{"recursion by sort", `local function f() table.sort({ 3, 2, 1 }, f) end f()`, "limit broken"},
		{"recursion by gsub", `local function f() return (("x"):gsub("x", f)) end f()`, "limit"},
		{"recursion by pcall", `local function f() return pcall(f) end return f()`, "ok limit"},
		{"recursion by xpcall handlers", `local function f() return xpcall(error, f) end return f()`, "ok limit"},
		{"pcall(pcall, pcall, …)", `local p = {} for i = 1, 190 do p[i] = pcall end return pcall(unpack(p))`, "ok limit"},

		// Swallowing the end.
		{"pcall swallows the timeout", `while true do pcall(function() while true do end end) end`, "timeout"},
		{"xpcall swallows the timeout", `while true do xpcall(function() while true do end end, function() while true do end end) end`, "timeout"},
		{"a handler that loops", `xpcall(error, function() while true do end end)`, "timeout"},
		{"resume swallows the timeout", `while true do coroutine.resume(coroutine.create(function() while true do end end)) end`, "timeout"},
		{"wrap under pcall swallows the timeout", `while true do pcall(coroutine.wrap(function() pcall(function() while true do end end) end)) end`, "timeout"},
		{"nested pcalls swallow the timeout", `local function f(n) if n == 0 then while true do end end repeat pcall(f, n - 1) until false end f(50)`, "timeout"},
		{"__tostring that loops", `error(setmetatable({}, { __tostring = function() while true do end end }))`, "timeout"},
		{"comparator that loops", `table.sort({ 2, 1 }, function() while true do end end)`, "timeout"},
		{"replacement that loops", `("x"):gsub("x", function() while true do end end)`, "timeout"},
		{"__index of a replacement that loops", `("x"):gsub("x", setmetatable({}, { __index = function() while true do end end }))`, "timeout"},

		// Builtins that run or allocate without end.
		{"rep", `return ("x"):rep(1e10)`, "limit"},
		{"rep that overflows", `return ("xxxx"):rep(2^62)`, "limit"},
		{"rep of rep", `local s = "x" while true do s = s:rep(100) end`, "limit"},
		{"rep of nothing", `while true do local s = (""):rep(1e15) end`, "timeout"},
		{"rep of many", `local t = {} for i = 1, 1e6 do t[i] = ("x"):rep(1e5) end`, "limit"},
		{"rep under pcall", `while true do pcall(string.rep, "x", 1e10) end`, "timeout limit"},
		{"concatenation that doubles", `local s = "x" while true do s = s .. s end`, "limit"},
		{"a long concatenation", `local s = ("x"):rep(1e6) return ` + strings.Repeat("s .. ", 100) + `s`, "limit"},
		{"concat", `local t = {} local s = ("x"):rep(1e5) for i = 1, 1000 do t[i] = s end return table.concat(t)`, "limit"},
		{"concat with a long separator", `local t = {} for i = 1, 1e4 do t[i] = "" end return table.concat(t, ("x"):rep(1e6))`, "limit"},
		{"concat over a huge range", `return table.concat({}, "", 1, 1e15)`, "broken"},
		{"format width", `return ("%99999999d"):format(1)`, "broken"},
		{"format precision", `return ("%.999999999f"):format(1)`, "broken"},
		{"format of long strings", `local s = ("x"):rep(1e6) return ("%s%s%s%s%s%s"):format(s, s, s, s, s, s)`, "limit"},
		{"format of Go verbs", `return ("%v %T %p %#v"):format(1, 2, 3, 4)`, "broken"},
		{"format %q of quotes", `return ("%q"):format(('"'):rep(3e6))`, "limit"},
		{"unpack", `return unpack({}, 1, 1e8)`, "broken"},
		{"unpack over the end of integers", `return unpack({}, -2^63, 2^63)`, "broken"},
		{"unpack backwards", `return unpack({}, 2^53, 2^53 + 10)`, "ok broken"},
		{"select of a huge index", `return select(2^62, 1)`, "ok broken"},
		{"select of a negative index", `return select(-2^62, 1)`, "broken"},
		{"byte of all", `return (("x"):rep(1e6)):byte(1, -1)`, "broken"},
		{"char of many", `return string.char(unpack({}, 1, 7000))`, "broken"},
		{"upper of many", `local s = ("x"):rep(4e6) while true do s:upper() end`, "limit timeout"},
		{"reverse of many", `local s = ("x"):rep(4e6) while true do s:reverse() end`, "limit timeout"},
		{"insert in front", `local t = {} for i = 1, 1e9 do table.insert(t, 1, i) end`, "timeout"},
		{"insert at a huge position", `table.insert({}, 2^52, 1)`, "ok broken"},
		{"insert at a negative position", `table.insert({}, -2^52, 1)`, "broken"},
		{"remove in front", `local t = {} for i = 1, 1e5 do t[i] = i end while #t > 0 do table.remove(t, 1) t[#t+1] = 1 end`, "timeout"},
		{"a huge index", `local t = {} t[67108863] = 1 t[2^53] = 1 return #t`, "ok"},
		{"huge arrays", `while true do local t = {} t[1048575] = 1 end`, "timeout"},
		{"lengths of huge arrays of nil", `local t = {} t[1048575] = 1 t[1048575] = nil while true do local n = #t end`, "timeout"},
		{"next over huge arrays of nil", `local t = {} t[1048575] = 1 t[1048575] = nil while true do next(t) end`, "timeout"},
		{"next over removed keys", `local t = {} for i = 1, 1e5 do t["k" .. i] = 1 end for i = 1, 1e5 do t["k" .. i] = nil end while true do next(t) end`, "timeout"},
		{"next over removed keys to the last", `local t = {} for i = 1, 1e5 do t["k" .. i] = 1 end for i = 1, 99999 do t["k" .. i] = nil end while true do next(t) end`, "timeout limit"},
		{"maxn", `local t = {} for i = 1, 1e5 do t[i] = i end while true do table.maxn(t) end`, "timeout"},
		{"sort of many", `local t = {} for i = 1, 1e6 do t[i] = -i end while true do table.sort(t) end`, "timeout limit"},
		{"sort with a random order", `local t = {} for i = 1, 1e4 do t[i] = i end while true do table.sort(t, function() return math.random() < 0.5 end) end`, "timeout"},
		{"sort that always says yes", `local t = {} for i = 1, 1e4 do t[i] = i end table.sort(t, function() return true end)`, "ok timeout"},
		{"sort whose comparator clears the list", `local t = {} for i = 1, 1000 do t[i] = i end table.sort(t, function(a, b) for i = 1, 1000 do t[i] = nil end return a < b end)`, "ok timeout"},
		{"comparing long strings", `local a, b = ("x"):rep(2e6) .. "a", ("x"):rep(2e6) .. "b" while true do local c = a < b end`, "timeout"},
		{"comparing long strings in a row", `local a, b = ("x"):rep(2e6) .. "a", ("x"):rep(2e6) .. "b" local c while true do ` + strings.Repeat("c = a < b ", 100) + ` end`, "timeout"},
		{"long strings as keys", `local t, s = {}, ("x"):rep(2e6) while true do t[s] = 1 t[s] = nil end`, "timeout"},
		{"numbers of long strings", `local s = ("1"):rep(1e6) while true do tonumber(s) end`, "timeout"},
		{"arithmetic of long strings", `local s = ("1"):rep(1e6) while true do local n = s + 1 end`, "broken timeout"},
		{"random of an empty range", `return math.random(0)`, "broken"},
		{"random of everything", `return math.random(-2^1023, 2^1023)`, "ok broken"},
		{"random of infinity", `return math.random(1, math.huge)`, "broken"},
		{"ldexp", `return math.ldexp(1, 2^60)`, "ok"},
		{"date of a long format", `return os.date(("%c"):rep(1e6))`, "broken"},
		{"date out of range", `return os.date("%Y", 2^60)`, "broken"},
		{"time of the year 2^60", `return os.time{ year = 2^60, month = 1, day = 1 }`, "broken"},

		// Patterns.
		{"a pattern that backtracks", `return (("a"):rep(30)):find(("a?"):rep(30) .. ("a"):rep(30) .. "b")`, "timeout"},
		{"a pattern of many stars", `return (("a"):rep(1000)):find(("a*"):rep(20) .. "b")`, "timeout"},
		{"a lazy pattern", `return (("a"):rep(1e6)):find(".-b")`, "timeout"},
		{"a greedy pattern", `return (("a"):rep(1e6)):find(".*.*b")`, "timeout"},
		{"a balanced pattern", `return (("("):rep(1e6)):find("%b()")`, "timeout"},
		{"a frontier", `return (("a"):rep(4e6)):find("%f[b]b")`, "ok timeout"},
		{"a long set", `return (("a"):rep(1e5)):find("[" .. ("b"):rep(1e6) .. "]")`, "timeout"},
		{"a long set that is never closed", `while true do pcall(string.find, "a", "[" .. ("b"):rep(1e6)) end`, "timeout limit"},
		{"a back reference to much", `local s = ("a"):rep(1e6) return (s .. s .. s):find("(a*)%1%1b")`, "timeout limit"},
		{"a pattern with many captures", `return ("a"):find(("(a?)"):rep(40))`, "broken"},
		{"a pattern that is deep", `return (("a"):rep(1000)):find(("a?"):rep(1000))`, "broken"},
		{"gsub of everything by much", `return (("a"):rep(1e6)):gsub("", ("b"):rep(1e6))`, "limit"},
		{"gsub by the whole", `return (("a"):rep(1e4)):gsub(".+", ("%0"):rep(1e4))`, "limit timeout"},
		{"gsub of many", `local s = ("a"):rep(4e6) while true do s = s:gsub("a", "a") end`, "timeout limit"},
		{"gmatch of many", `for a in (("a"):rep(4e6)):gmatch("") do end`, "ok timeout"},
		{"plain find of a needle", `local s, n = ("a"):rep(4e6), ("a"):rep(1e6) .. "b" while true do s:find(n, 1, true) end`, "timeout"},

		// Coroutines.
		{"two that resume each other", `local a, b a = coroutine.create(function() coroutine.resume(b) end) b = coroutine.create(function() coroutine.resume(a) end) coroutine.resume(a) return coroutine.status(a)`, "ok"},
		{"one that resumes itself", `local co co = coroutine.wrap(function() return co() end) co()`, "broken"},
		{"one inside another", `local function f() return coroutine.wrap(f)() end f()`, "limit"},
		{"as many as there can be", `local t = {} for i = 1, 1e6 do t[i] = coroutine.create(function() end) end`, "limit timeout"},
		{"as many as there can be, abandoned", `while true do coroutine.wrap(function() coroutine.yield() end)() end`, "timeout"},
		{"as many as there can be, finished", `while true do coroutine.wrap(function() end)() end`, "timeout"},
		{"coroutines in pcall in coroutines", `local function f() local ok, e = pcall(coroutine.wrap(f)) if not ok then error(e, 0) end end f()`, "limit"},
		{"yield over pcall", `coroutine.wrap(function() pcall(coroutine.yield) end)()`, "ok"},
		{"yield over sort", `coroutine.wrap(function() table.sort({ 2, 1 }, coroutine.yield) end)()`, "broken"},
		{"yield over gsub", `coroutine.wrap(function() ("x"):gsub("x", function() coroutine.yield() end) end)()`, "broken"},
		{"yield over a metamethod", `coroutine.wrap(function() return setmetatable({}, { __index = function() coroutine.yield() end }).x end)()`, "broken"},
		{"yield over an iterator", `coroutine.wrap(function() for x in function() coroutine.yield() end do end end)()`, "broken"},
		{"yield over arithmetic", `coroutine.wrap(function() return setmetatable({}, { __add = coroutine.yield }) + 1 end)()`, "broken"},
		{"yield from main", `coroutine.yield()`, "broken"},
		{"recursion in a coroutine", `coroutine.wrap(function() local function f() f() end f() end)()`, "limit"},
		{"a stack of many values in a coroutine", `local function f(...) return select("#", f(1, ...)) end coroutine.wrap(f)()`, "limit"},
		{"a stack of many values", `local function f(...) local t = { ... } return f(1, unpack(t)) end f(unpack({}, 1, 7000))`, "limit"},

		{"coroutines with large stacks", `local t = {} for i = 1, 2000 do local co = coroutine.wrap(function(...) coroutine.yield() return ... end) co(unpack({}, 1, 7900)) t[i] = co end`, "limit"},
		{"arguments for which a suspended stack has no room", `local function f(n, ...) if n == 0 then return coroutine.yield() end return (f(n - 1, 1, 1, 1, 1, 1, ...)) end
			local co = coroutine.create(function() return f(7, unpack({}, 1, 7000)) end) coroutine.resume(co)
			local ok, e = coroutine.resume(co, unpack({}, 1, 7900)) return coroutine.status(co), coroutine.running()`, "ok limit"},

		// Errors.
		{"error(nil)", `error(nil)`, "broken"},
		{"error()", `error()`, "broken"},
		{"error of a number", `error(42)`, "raised"},
		{"error of a boolean", `error(true)`, "broken"},
		{"error of a function", `error(error)`, "broken"},
		{"error of a library", `error(string)`, "broken"},
		{"error of an empty table", `error({})`, "broken"},
		{"error with a long text", `error(("x"):rep(1e6))`, "raised"},
		{"error with a long key", `local t = nil return t[("x"):rep(1e6)]`, "broken"},
		{"error at a strange level", `error("x", 2^60)`, "raised"},
		{"error at a negative level", `error("x", -2^60)`, "raised"},
		{"error with verbs of fmt", `error("%s%d%v%n%!")`, "raised"},
		{"a message that is cyclic", `local t = {} t.message = t error(t)`, "broken"},
		{"a message with a trap", `error(setmetatable({}, { __index = function() while true do end end }))`, "broken"},
		{"__tostring that raises", `error(setmetatable({}, { __tostring = function() error("x") end }))`, "broken"},
		{"__tostring of no string", `error(setmetatable({}, { __tostring = function() return {} end }))`, "broken"},
		{"errors in a row", `for i = 1, 1e9 do pcall(error, { i }) end`, "timeout"},

		// Escapes.
		{"the string metatable", `return getmetatable("").__index`, "broken"},
		{"the string metatable is a text", `local s = getmetatable("") assert(type(s) == "string")`, "ok"},
		{"another string metatable", `setmetatable("", {})`, "broken"},
		{"another function metatable", `setmetatable(print or error, {})`, "broken"},
		{"rawset on a library", `rawset(string, "x", 1)`, "broken"},
		{"rawset on _G", `rawset(_G, "x", 1)`, "broken"},
		{"assignment to a library", `string.x = 1`, "broken"},
		{"assignment to a function of a library", `string.format = nil`, "broken"},
		{"assignment to _G", `_G.x = 1`, "broken"},
		{"assignment to a global by _G", `_G.pcall = nil`, "broken"},
		{"insert into a library", `table.insert(math, 1)`, "broken"},
		{"sort of a library", `table.sort(table)`, "broken"},
		{"remove from a library", `table.remove(_G)`, "broken"},
		{"setmetatable of a library", `setmetatable(string, {})`, "broken"},
		{"a library as metatable", `setmetatable({}, string)`, "broken"},
		{"the metatable of a library", `assert(type(getmetatable(string)) == "string" and type(getmetatable(_G)) == "string")`, "ok"},
		{"loadstring", `return loadstring("return 1")`, "broken"},
		{"load", `return load`, "broken"},
		{"dofile", `return dofile`, "broken"},
		{"getfenv", `return getfenv(1)`, "broken"},
		{"setfenv", `return setfenv(1, {})`, "broken"},
		{"io", `return io.open`, "broken"},
		{"os.execute", `return os.execute("true")`, "broken"},
		{"os.exit", `return os.exit(1)`, "broken"},
		{"os.getenv", `return os.getenv("HOME")`, "broken"},
		{"debug", `return debug.getinfo(1)`, "broken"},
		{"package", `return package.loaded`, "broken"},
		{"collectgarbage", `return collectgarbage()`, "broken"},
		{"newproxy", `return newproxy(true)`, "broken"},
		{"string.dump", `return string.dump(function() end)`, "broken"},
		{"_printregs", `return _printregs()`, "broken"},
		{"require of a path", `return require("../../etc/passwd")`, "broken"},
		{"the hidden join by _G", `return rawget(_G, "(concat)")`, "ok"},
		{"next on every library", `for _, lib in pairs({ string, table, math, os, coroutine, _G }) do for k, v in next, lib do assert(k and v) end end`, "ok"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := testEnv.NewState()
			defer s.Close()
			begun := time.Now()
			limits := attackLimits
			if !strings.Contains(tt.want, "timeout") {
				limits.Wall = attackPatience
			}
			s.Begin(context.Background(), Calling, limits, nil)
			defer s.End()
			got := "ok"
			_, f := runState(t, s, tt.src)
			if f != nil {
				got = f.Kind.String()
				if len(f.Message) > 10_000 || len(f.Traceback) > 5_000 || strings.Contains(f.Message+f.Traceback, ".go:") {
					t.Errorf("the message has %d bytes, the traceback %d: %.300s", len(f.Message), len(f.Traceback), f.Traceback)
				}
				if f.Kind == Crashed {
					t.Error(f.Panic)
				}
			}
			if !strings.Contains(" "+tt.want+" ", " "+got+" ") {
				t.Errorf("ended as %s (%v), want %s", got, f, tt.want)
			}
			if took := time.Since(begun); took > limits.Wall+attackGrace {
				t.Errorf("took %v", took)
			}
		})
	}
}

// TestNoSourceHurtsTheCompiler loads hostile sources; each must load or be refused in time.
func TestNoSourceHurtsTheCompiler(t *testing.T) {
	many := func(n int, s string) string { return strings.Repeat(s, n) }
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for _, tt := range []struct{ name, src, want string }{
		{"too long", many(300_000, " "), "at most 256 KiB"},
		{"parentheses", "return " + many(10_000, "(") + "1" + many(10_000, ")"), "levels of nesting"},
		{"open parentheses", "return " + many(200_000, "("), "levels of nesting"},
		{"tables", "return " + many(10_000, "{") + many(10_000, "}"), "levels of nesting"},
		{"functions", many(10_000, "function() ") + many(10_000, "end "), "levels of nesting"},
		{"nested functions", "local x = " + many(5_000, "function() return ") + "1 " + many(5_000, "end "), "levels of nesting"},
		{"blocks", many(20_000, "do ") + many(20_000, "end "), "levels of nesting"},
		{"nots", "return " + many(50_000, "not ") + "1", "levels of nesting"},
		{"minuses", "return " + many(50_000, "- ") + "1", "levels of nesting"},
		{"powers", "return 1" + many(50_000, "^1"), "powers"},
		{"sums of names", "local a = 1 return a" + many(60_000, "+a"), "arithmetic operators"},
		{"sums of numbers", "return 1" + many(60_000, "+1"), "arithmetic operators"},
		{"concatenations", "local a = '' return a" + many(60_000, "..a"), "concatenations"},
		{"many concatenations in one expression", "local a = '' return a" + many(200, "..a"), "table.concat"},
		{"many concatenations in one file", "local a = '' " + many(9_000, "a=a..a..'x' "), ""},
		{"ors", "local a return a" + many(40_000, " or a"), "links"},
		{"comparisons", "local a return a" + many(60_000, "<a"), "links"},
		{"fields", "local a return a" + many(60_000, ".b"), "links"},
		{"calls", "local a a" + many(60_000, "()"), "links"},
		{"elseifs", "local a if a then " + many(10_000, "elseif a then ") + "end", "links"},
		{"different constants", "return {" + numbered(30_000, "%d,") + "}", "constants"},
		{"items", "return {" + many(30_000, "1,") + "}", "table constructor"},
		{"constants in statements", "local a " + numbered(20_000, "a=%d "), "constants"},
		{"strings", "local a " + numbered(18_000, "a='%d' "), "constants"},
		{"constants in many functions", "local a " + numbered(1_900, "a=function() return '%d' end "), ""},
		{"labels", numbered(20_000, "::l%d::"), "labels"},
		{"gotos", many(20_000, "goto a ") + "::a::", "labels or gotos"},
		{"five hundred gotos", many(490, "do goto a end ") + "::a::", ""},
		{"many functions", "local a " + many(15_000, "a=function()end "), "functions"},
		{"locals", numbered(300, "local a%d "), "local variables"},
		{"parameters", "local function f(" + strings.TrimSuffix(numbered(300, "a%d,"), ",") + ") end", "register overflow"},
		{"arguments", "local f f(" + many(300, "1,") + "1)", "register overflow"},
		{"upvalues", manyUpvalues(), "outer locals"},
		{"long jumps", "local f for i = 1, 2 do " + many(80_000, "f()") + " end", "instructions"},
		{"a long name", "local " + many(100_000, "a") + " = 1", ""},
		{"a long string", "return '" + many(200_000, "a") + "'", ""},
		{"a long comment", "--[[" + many(200_000, "a"), "unfinished long comment"},
		{"a long bracket of equals", "return [" + many(200_000, "="), "invalid multiline string"},
		{"brackets in a long string", "return [==[" + many(100_000, "]=") + "]==]", ""},
		{"newlines", many(250_000, "\n"), ""},
		{"zero bytes", many(1_000, "\x00"), "unexpected symbol"},
		{"bytecode", "\x1bLua\x51\x00\x01\x04", "unexpected symbol"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			begun := time.Now()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			chunk, err := Parse("a.lua", []byte(tt.src))
			if err == nil {
				_, err = Compile(chunk, "a.lua")
			}
			runtime.ReadMemStats(&after)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if err != nil {
				if se, ok := err.(*SyntaxError); !ok || se.Line < 1 || len(se.Message) > 300 {
					t.Errorf("error %#v", err)
				}
			}
			if took := time.Since(begun); took > 3*time.Second {
				t.Errorf("took %v", took)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 256<<20 {
				t.Errorf("took %d MiB", used>>20)
			}
		})
	}
}

func manyUpvalues() string {
	var b strings.Builder
	b.WriteString("local function f()\n")
	for level := range 2 {
		for i := range 150 {
			fmt.Fprintf(&b, "local a%d_%d\n", level, i)
		}
		b.WriteString("return function()\n")
	}
	b.WriteString("return 1")
	for level := range 2 {
		for i := range 150 {
			fmt.Fprintf(&b, "\nor a%d_%d", level, i)
		}
	}
	b.WriteString("\nend end end")
	return b.String()
}

// TestCancelStopsLua also when the code swallows every error.
func TestAParentThatIsCancelledStopsTheCall(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	env := NewEnv([]*Module{{Funcs: map[string]lua.LGFunction{"cancel": func(L *lua.LState) int {
		cancel()
		<-CallOf(L).Context().Done() // what a blocking Go function would wait for
		return 0
	}}}})
	s := env.NewState()
	defer s.Close()
	s.Begin(ctx, Calling, Limits{}, nil)
	defer s.End()
	_, f := runState(t, s, `while true do pcall(cancel) end`)
	if f == nil || f.Kind != Cancelled || !s.Dead() {
		t.Errorf("fault %+v, dead %v", f, s.Dead())
	}
}

func TestCancelFromAnotherGoroutineStopsTheCall(t *testing.T) {
	s := testEnv.NewState()
	defer s.Close()
	c := s.Begin(context.Background(), Calling, Limits{}, nil)
	defer s.End()
	done := make(chan struct{})
	go func() { c.Cancel("the host is out of memory"); close(done) }()
	_, f := runState(t, s, `while true do pcall(function() while true do end end) end`)
	<-done
	if f == nil || f.Kind != Limit || f.Message != "the host is out of memory" {
		t.Errorf("fault %+v", f)
	}
}
