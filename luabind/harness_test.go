package luabind

import (
	"context"
	"errors"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/sandbox"
)

var env = sandbox.NewEnv(Modules())

// state is a Lua state in one mode, ended with the test.
func state(t testing.TB, ctx context.Context, mode sandbox.Mode, data any) *sandbox.State {
	t.Helper()
	s := env.NewState()
	s.Begin(ctx, mode, sandbox.Limits{}, data)
	t.Cleanup(func() {
		s.End()
		s.Close()
	})
	return s
}

// compile makes a prototype of a source named test.lua.
func compile(t testing.TB, source string) *lua.FunctionProto {
	t.Helper()
	tree, err := sandbox.Parse("test.lua", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	proto, err := sandbox.Compile(tree, "test.lua")
	if err != nil {
		t.Fatal(err)
	}
	return proto
}

// run runs a source in a mode and returns its results.
func run(t testing.TB, mode sandbox.Mode, data any, source string) ([]lua.LValue, error) {
	t.Helper()
	return state(t, t.Context(), mode, data).Run(compile(t, source))
}

// load returns the one tool that a source declares.
func load(t testing.TB, source string) (*Definition, error) {
	t.Helper()
	values, err := run(t, sandbox.Loading, nil, source)
	if err != nil {
		return nil, err
	}
	defs, err := Tools(values)
	if err != nil {
		return nil, err
	}
	if len(defs) != 1 {
		t.Fatalf("%d tools", len(defs))
	}
	return defs[0], nil
}

func mustLoad(t testing.TB, source string) *Definition {
	t.Helper()
	def, err := load(t, source)
	if err != nil {
		t.Fatalf("%s\n%v", source, err)
	}
	return def
}

// wantFault checks that err has the text, wherever it came from.
func wantFault(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	text := err.Error()
	if f, ok := errors.AsType[*sandbox.Fault](err); ok {
		text = f.Message
	}
	if !strings.Contains(text, want) {
		t.Errorf("got  %s\nwant %s", text, want)
	}
}
