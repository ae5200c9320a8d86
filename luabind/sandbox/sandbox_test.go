package sandbox

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// run compiles and runs src in a fresh state and returns its results as tostring writes them.
func run(t testing.TB, src string, l Limits) (string, *Fault) {
	t.Helper()
	return runIn(t, testEnv, src, l)
}

var testEnv = NewEnv(nil)

func runIn(t testing.TB, env *Env, src string, l Limits) (string, *Fault) {
	t.Helper()
	s := env.NewState()
	defer s.Close()
	s.Begin(context.Background(), Calling, l, nil)
	defer s.End()
	return runState(t, s, src)
}

func runState(t testing.TB, s *State, src string) (string, *Fault) {
	t.Helper()
	chunk, err := Parse("test.lua", []byte(src))
	if err != nil {
		t.Fatalf("parse: %v\n%s", err, src)
	}
	proto, err := Compile(chunk, "test.lua")
	if err != nil {
		t.Fatalf("compile: %v\n%s", err, src)
	}
	results, err := s.Run(proto)
	if err != nil {
		return "", err.(*Fault)
	}
	var texts []string
	for _, v := range results {
		texts = append(texts, plainString(v))
	}
	return strings.Join(texts, " "), nil
}

func TestSmoke(t *testing.T) {
	for src, want := range map[string]string{
		`local t = {} for i = 1, 3 do t[#t+1] = i .. "x" end return table.concat(t, ",")`: "1x,2x,3x",
		`return ("hello"):upper():rep(2)`:                                                 "HELLOHELLO",
		`return pcall(error, "x", 0)`:                                                     "false x",
		`return pcall(function() error("x") end)`:                                         "false test.lua:1: x",
		`local co = coroutine.wrap(function(a) local b, c = coroutine.yield(a + 1) return b, c end) return co(1), co(5)`: "2 5 nil",
		`return string.format("%5.2f|%-5d|%05d|%q", 3.14159, 42, 42, "a\nb")`:                                            " 3.14|42   |00042|\"a\\\nb\"",
		`return ("abc"):gsub("%w", "%0%0")`:                   "aabbcc 3",
		`return type(string), type(_G), select("#", 1, 2, 3)`: "table table 3",
	} {
		got, f := run(t, src, Limits{})
		if f != nil {
			t.Errorf("%s: %v %s %s", src, f.Kind, f.Message, f.Panic)
		} else if got != want {
			t.Errorf("%s = %q, want %q", src, got, want)
		}
	}
}

func TestTimeoutSmoke(t *testing.T) {
	for _, src := range []string{`while true do end`, `while true do pcall(function() while true do end end) end`,
		`coroutine.wrap(function() while true do end end)()`} {
		start := time.Now()
		_, f := run(t, src, Limits{Wall: 50 * time.Millisecond})
		if f == nil || f.Kind != Timeout {
			t.Errorf("%s: %+v", src, f)
		}
		if d := time.Since(start); d > time.Second {
			t.Error(d)
		}
	}
	_, f := run(t, `local function f() return 1 + f() end f()`, Limits{})
	t.Logf("%+v", f)
	_, f = run(t, `local t = nil
	return t.x`, Limits{})
	t.Logf("%+v", f)
	_, f = run(t, `error("city not found")`, Limits{})
	t.Logf("%+v", f)
	_, f = run(t, `return strin.format`, Limits{})
	t.Logf("%+v", f)
	_, f = run(t, `return ("x"):uper()`, Limits{})
	t.Logf("%+v", f)
	_, err := Compile(nil, "x")
	if err != nil {
		t.Error(err)
	}
	var se *SyntaxError
	_, err = Parse("x.lua", []byte("local function f(\nreturn {"))
	if !errors.As(err, &se) {
		t.Error(err)
	}
	t.Log(err)
	_ = lua.LNil
}
