package sandbox

import (
	"context"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"
)

func TestAnErrorSaysWhoseFaultItIs(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		kind      FaultKind
		message   string // all of it
		hint      string
		line      int
	}{
		{"error with a message is meant for the model, without position", "\nerror('no such city')", Raised, "no such city", "", 2},
		{"error with a level too", "local function f()\nerror('no such city', 2)\nend\nf()", Raised, "no such city", "", 4},
		{"error at level 0 too", "\nerror('no such city', 0)", Raised, "no such city", "", 2},
		{"error with a number", "error(404)", Raised, "404", "", 1},
		{"error with a table", "error{ message = 'no such city', hint = 'add the country' }", Raised, "no such city", "add the country", 1},
		{"error with a table whose message is a number", "error{ message = 404 }", Raised, "404", "", 1},
		{"error with a table that writes itself", "error(setmetatable({}, { __tostring = function() return 'gone' end }))", Raised, "gone", "", 1},
		{"assert with a message", "\n\nassert(false, 'no such city')", Raised, "no such city", "", 3},
		{"assert with a table", "assert(nil, { message = 'no such city', hint = 'x' })", Raised, "no such city", "x", 1},
		{"assert without a message is a fault of the tool", "assert(nil)", Broken, "the tool has a fault: assertion failed! (test.lua:1)", "", 1},
		{"what pcall caught and error raises again stays what it was", "local _, e = pcall(error, 'no such city') error(e, 0)", Raised, "no such city", "", 1},
		{"with a new position too", "local _, e = pcall(function() error('no such city') end)\nerror(e)", Raised, "no such city", "", 1},
		{"a fault of the tool that was caught stays one", "local _, e = pcall(function() local t = nil; t.x = 1 end)\nerror(e, 0)", Broken, "the tool has a fault: attempt to index a nil value with key 'x' (test.lua:1)", "", 1},
		{"a message made of one is a message", "local _, e = pcall(function() local t = nil; t.x = 1 end) error('sorry', 0)", Raised, "sorry", "", 1},
		{"a table keeps its hint through pcall", "local _, e = pcall(error, { message = 'm', hint = 'h' }) error(e)", Raised, "m", "h", 1},
		{"an error out of a coroutine", "coroutine.wrap(function()\nerror('no such city')\nend)()", Raised, "no such city", "", 2},
		{"a fault out of a coroutine", "coroutine.wrap(function()\nlocal t = nil; t.x = 1\nend)()", Broken, "the tool has a fault: attempt to index a nil value with key 'x' (test.lua:2)", "", 2},
		{"error without a value", "error()", Broken, "the tool has a fault: error was called without a message (test.lua:1)", "", 1},
		{"error with a table without message", "error{}", Broken, "the tool has a fault: error was called with a table that has no message (test.lua:1)", "", 1},
		{"error with a boolean", "error(true)", Broken, "the tool has a fault: error was called with a boolean instead of a message (test.lua:1)", "", 1},
		{"a call of nil", "\nlocal f\nf()", Broken, "the tool has a fault: attempt to call a value that is not a function (test.lua:3)", "", 3},
		{"arithmetic on nil", "local f return f + 1", Broken, "the tool has a fault: attempt to perform arithmetic: add of nil and number (test.lua:1)", "", 1},
		{"joining nil", "local f return 'a' .. f", Broken, "the tool has a fault: attempt to concatenate a nil value (test.lua:1)", "", 1},
		{"the length of a number", "local f = 1 return #f", Broken, "the tool has a fault: attempt to get the length of a value that has none (test.lua:1)", "", 1},
		{"comparing", "local f return f < 1", Broken, "the tool has a fault: attempt to compare nil with number (test.lua:1)", "", 1},
		{"a bad argument", "return ('x'):rep({})", Broken, "the tool has a fault: bad argument #2 to 'rep' (number expected, got table) (test.lua:1)", "", 1},
		{"a library is called a table", "return ('x'):rep(string)", Broken, "the tool has a fault: bad argument #2 to 'rep' (number expected, got table) (test.lua:1)", "", 1},
		{"an unknown global", "return strnig", Broken, "the tool has a fault: there is no global 'strnig'; did you mean 'string'? (test.lua:1)", "", 1},
		{"an unknown global that is near nothing", "return frobnicate", Broken, "the tool has a fault: there is no global 'frobnicate'; declare it with local (test.lua:1)", "", 1},
		{"a word of another language", "return null", Broken, "the tool has a fault: there is no global 'null'; write nil, or json.null inside JSON data (test.lua:1)", "", 1},
		{"an unknown field of a library", "return string.fromat", Broken, "the tool has a fault: string has no field 'fromat'; did you mean 'format'? (test.lua:1)", "", 1},
		{"an unknown method of strings", "return ('x'):trim()", Broken, "the tool has a fault: string has no field 'trim' (test.lua:1)", "", 1},
		{"an unknown field of _G", "return _G.foo", Broken, "the tool has a fault: there is no global 'foo'; declare it with local (test.lua:1)", "", 1},
		{"a deep recursion", "local function f() return 1 + f() end f()", Limit, "more than 200 calls inside one another (stack overflow)", "", 1},
		{"a long string", "return ('x'):rep(2^40)", Limit, "a string of more than 16 MiB (--limit string=…, or limits.string in luatools.lua)", "", 1},
		{"a position of the tool's making is text", "error('/etc/passwd:1: x', 0)", Raised, "/etc/passwd:1: x", "", 1},
		{"an invalid text is mended", `error("a\255b")`, Raised, "a\uFFFDb", "", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, f := run(t, tt.src, Limits{})
			if f == nil {
				t.Fatal("no error")
			}
			if f.Kind != tt.kind || f.Message != tt.message || f.Hint != tt.hint {
				t.Errorf("%v %q %q\nwant %v %q %q", f.Kind, f.Message, f.Hint, tt.kind, tt.message, tt.hint)
			}
			if f.Kind != Limit && (f.File != "test.lua" || f.Line != tt.line) {
				t.Errorf("at %s:%d, want line %d", f.File, f.Line, tt.line)
			}
		})
	}
}

func TestAFaultNamesTheLimitAndWhereToChangeIt(t *testing.T) {
	for _, tt := range []struct {
		name, src string
		limits    Limits
		kind      FaultKind
		message   string
	}{
		{"time", `while true do end`, Limits{Wall: 20 * time.Millisecond}, Timeout, "the call took longer than 0.02 s (timeout in the tool, or --timeout)"},
		{"steps", `while true do end`, Limits{Steps: 10_000}, Limit, "the call ran more than 10000 steps of Lua (--limit steps=…, or limits.steps in luatools.lua)"},
		{"bytes", `local t = {} for i = 1, 1e6 do t[i] = ("x"):rep(1000) end`, Limits{Bytes: 1 << 20}, Limit, "the call made more than 1 MiB of strings and data (--limit bytes=…, or limits.bytes in luatools.lua)"},
		{"bytes under pcall", `while true do pcall(string.rep, "x", 1000) end`, Limits{Bytes: 1 << 20}, Limit, "the call made more than 1 MiB of strings and data (--limit bytes=…, or limits.bytes in luatools.lua)"},
		{"coroutines", `local t = {} for i = 1, 100 do t[i] = coroutine.create(tostring) end`, Limits{Coroutines: 10}, Limit, "more than 10 unfinished coroutines (--limit coroutines=…, or limits.coroutines in luatools.lua)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, f := run(t, tt.src, tt.limits)
			if f == nil || f.Kind != tt.kind || f.Message != tt.message || f.Line != 1 || f.Traceback == "" {
				t.Errorf("fault %+v", f)
			}
		})
	}
}

func TestATracebackNamesFunctionsAndIsShort(t *testing.T) {
	_, f := run(t, "local function inner()\n  local t = nil\n  return t.x\nend\nlocal function outer()\n  inner()\n  return 1\nend\nouter()", Limits{})
	want := "  test.lua:3: in function 'inner'\n  test.lua:6: in function 'outer'\n  test.lua:9: in main chunk"
	if f == nil || f.Traceback != want {
		t.Errorf("traceback\n%s\nwant\n%s", f.Traceback, want)
	}
	_, f = run(t, "local function f(n) if n == 0 then error('x') end f(n - 1) return 1 end f(150)", Limits{})
	if n := strings.Count(f.Traceback, "\n"); n != 2*tracebackEnds || !strings.HasSuffix(f.Traceback, "in main chunk") || !strings.Contains(f.Traceback, "  …\n") {
		t.Errorf("%d lines:\n%s", n+1, f.Traceback)
	}
	_, f = run(t, "coroutine.wrap(function() local t = nil; t.x = 1 end)()", Limits{})
	if f.Traceback != "  test.lua:1: in the function at line 1" {
		t.Errorf("traceback of a coroutine\n%s", f.Traceback)
	}
}

var denyModule = &Module{Funcs: map[string]lua.LGFunction{
	"deny":  func(L *lua.LState) int { Deny(L, "the person said no"); return 0 },
	"raise": func(L *lua.LState) int { Raise(L, "connection refused", "is the server up?"); return 0 },
	"crash": func(L *lua.LState) int { return []int{}[L.GetTop()] },
}}

func TestADenialAndACrashCannotBeCaught(t *testing.T) {
	env := NewEnv([]*Module{denyModule})
	for _, way := range []string{"%s()", "pcall(%s)", "xpcall(%s, function() end)", "coroutine.resume(coroutine.create(%s))",
		"pcall(coroutine.wrap(%s))", "pcall(pcall, pcall, %s)", "pcall(table.sort, {2, 1}, %s)", "pcall(string.gsub, 'x', 'x', %s)"} {
		for name, kind := range map[string]FaultKind{"deny": Denied, "crash": Crashed} {
			src := strings.ReplaceAll(way, "%s", name) + " reached = 1"
			src = strings.ReplaceAll(src, "reached = 1", "error('went on')")
			s := env.NewState()
			s.Begin(context.Background(), Calling, Limits{}, nil)
			_, f := runState(t, s, src)
			if f == nil || f.Kind != kind || !s.Dead() {
				t.Errorf("%s: %+v", src, f)
			}
			if kind == Crashed && !strings.Contains(way, "coroutine") && !strings.Contains(f.Panic, "fault_test.go") {
				t.Errorf("%s: the panic has no Go stack: %s", src, f.Panic)
			}
			if kind == Crashed && (!strings.Contains(f.Panic, "out of range") || strings.Contains(f.Message, "out of range")) {
				t.Errorf("%s: panic %q, message %q", src, f.Panic, f.Message)
			}
			s.End()
			if _, err := s.Run(compiled(t, "return 1")); err == nil {
				t.Errorf("%s: a dead state ran", src)
			}
			s.Close()
		}
	}
	_, f := runIn(t, env, "raise()", Limits{})
	if f == nil || f.Kind != Raised || f.Message != "connection refused" || f.Hint != "is the server up?" || f.Line != 1 {
		t.Errorf("Raise: %+v", f)
	}
	if got, f := runIn(t, env, "return select(2, pcall(raise))", Limits{}); f != nil || got != "connection refused" {
		t.Errorf("Raise under pcall: %q %v", got, f)
	}
}

func TestAStateGoesOnAfterAnOrdinaryError(t *testing.T) {
	s, fn := loaded(t, `local n = 0 return function(fail) n = n + 1 if fail then error("x") end return n end`)
	defer s.Close()
	for i, fail := range []bool{false, true, false, true, false} {
		s.Begin(context.Background(), Calling, Limits{}, nil)
		values, err := s.Call(fn, lua.LBool(fail))
		s.End()
		if fail != (err != nil) || s.Dead() {
			t.Fatalf("call %d: %v, dead %v", i, err, s.Dead())
		}
		if !fail && values[0] != lua.LNumber(i+1) {
			t.Errorf("call %d: %v", i, values)
		}
	}
}

func TestNothingRunsOutsideACall(t *testing.T) {
	s := testEnv.NewState()
	defer s.Close()
	if _, err := s.Run(compiled(t, "return 1")); err == nil {
		t.Error("ran before Begin")
	}
	s.Begin(context.Background(), Calling, Limits{}, nil)
	if _, err := s.Run(compiled(t, "return 1")); err != nil {
		t.Error(err)
	}
	s.End()
	if _, err := s.Run(compiled(t, "return 1")); err == nil {
		t.Error("ran after End")
	}
}

func TestSyntaxErrorsSpeakLua(t *testing.T) {
	for _, tt := range []struct{ src, want string }{
		{"return {", "a.lua:1: '}' expected (to close '{' at line 1) near <eof>"},
		{"local function f()\n  if x then\n", "a.lua:3: 'end' expected (to close 'if' at line 2) near <eof>"},
		{"repeat", "a.lua:1: 'until' expected (to close 'repeat' at line 1) near <eof>"},
		{"local x =", "a.lua:1: unexpected end of the file"},
		{"return tool{ a = 1 } end", "a.lua:1: syntax error near 'end'"},
		{"local s = 'abc", "a.lua:1: unfinished string near 'abc'"},
		{"local s = [[abc", "a.lua:1: unfinished long string"},
		{"if a != b then end", "a.lua:1: unexpected symbol near '!' (not equal is written ~=)"},
		{"return !x", "a.lua:1: unexpected symbol near '!' (write not in place of !)"},
		{"return a // b", "a.lua:1: syntax error near '/' (for a // b write math.floor(a / b); a comment begins with --)"},
		{"// a comment", "a.lua:1: syntax error near '/' (a comment begins with --)"},
		{"return 1 << 2", "a.lua:1: syntax error near '<' (Lua 5.1 has no bit operators: for a << b write a * 2 ^ b)"},
		{"return 1 >> 2", "a.lua:1: syntax error near '>' (Lua 5.1 has no bit operators: for a >> b write math.floor(a / 2 ^ b))"},
		{"return a & 7", "a.lua:1: unexpected symbol near '&' (Lua 5.1 has no bit operators"},
		{"return a | 7", "a.lua:1: unexpected symbol near '|' (Lua 5.1 has no bit operators"},
		{"return a ~ 7", "a.lua:1: unexpected symbol near '~' (not equal is written ~=, and Lua 5.1 has no bit operators)"},
		{"return a && b", "a.lua:1: unexpected symbol near '&' (write and in place of &&)"},
		{"\nreturn a || b", "a.lua:2: unexpected symbol near '|' (write or in place of ||)"},
		{"return a ? b : c", "a.lua:1: unexpected symbol near '?' (write c and a or b in place of c ? a : b)"},
		{"local x <const> = 1", "a.lua:1: syntax error near '<' (Lua 5.1 has no attributes: leave <const> out)"},
		{"local f <close> = g()", "a.lua:1: syntax error near '<' (Lua 5.1 has no attributes: leave <close> out)"},
		{"local n = 1\nn += 2", "a.lua:2: syntax error near '+' (write n = n + …)"},
		{"local s = 1\ns ..= 2", "a.lua:2: syntax error near '..' (write s = s .. …)"},
		{"local t = {}\nt.n -= 2", "a.lua:2: syntax error near '-' (write n = n - …)"},
		{"local n = 1\nn++", "a.lua:2: syntax error near '+' (write n = n + 1)"},
		{"for i = 1, 2 do\n  if i == 1 then continue end\nend", "a.lua:2: syntax error near 'end' (Lua 5.1 has no continue: write goto continue,"},
		{"if a = 1 then end", "a.lua:1: syntax error near '=' (to compare, write ==)"},
		{"if a === 1 then end", "a.lua:1: syntax error near '=' (write ==)"},
		{"let x = 1", "a.lua:1: syntax error near 'x' (write local in place of let)"},
		{"local f = (x) => x", "a.lua:1: syntax error near '=' (a function is written function(x) … end)"},
		{"\xff\xfer\x00e\x00", "a.lua: the file is UTF-16: save it as UTF-8"},
		{"r\x00e\x00t\x00", "a.lua: the file is UTF-16: save it as UTF-8"},
		{"x = 1", "a.lua:1: assignment to the undeclared global 'x'; write local x"},
		{"\n\nfunction foo() end", "a.lua:3: assignment to the undeclared global 'foo'; write local function foo"},
		{"local function f()\n  count = count + 1\nend", "a.lua:2: assignment to the undeclared global 'count'; write local count"},
		{"for i = 1, 2 do break break end", "a.lua:1: syntax error near 'break'"},
		{"break", "a.lua:1: no loop to break"},
		{"local x = 0x", "a.lua:1: malformed number near '0x'"},
		{"local x = 1e", "a.lua:1: malformed number near '1e"},
		{"\xef\xbb\xbf#!/usr/bin/lua\nx()x", "a.lua:2: unexpected end of the file"},
		{"goto nowhere", "a.lua:1: no visible label 'nowhere'"},
	} {
		chunk, err := Parse("a.lua", []byte(tt.src))
		if err == nil {
			_, err = Compile(chunk, "a.lua")
		}
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q: %v\nwant %s", tt.src, err, tt.want)
		}
	}
}
