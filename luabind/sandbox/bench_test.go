package sandbox

import (
	"context"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

func compiled(b testing.TB, src string) *lua.FunctionProto {
	b.Helper()
	chunk, err := Parse("bench.lua", []byte(src))
	if err != nil {
		b.Fatal(err)
	}
	proto, err := Compile(chunk, "bench.lua")
	if err != nil {
		b.Fatal(err)
	}
	return proto
}

// loaded runs a chunk that returns a function.
func loaded(b testing.TB, src string) (*State, *lua.LFunction) {
	b.Helper()
	s := testEnv.NewState()
	s.Begin(context.Background(), Loading, Limits{}, nil)
	values, err := s.Run(compiled(b, src))
	s.End()
	if err != nil {
		b.Fatal(err)
	}
	return s, values[0].(*lua.LFunction)
}

func BenchmarkNewState(b *testing.B) {
	b.Run("bare", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			lua.NewState(mainOptions).Close()
		}
	})
	b.Run("sandbox", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			testEnv.NewState().Close()
		}
	})
}

func BenchmarkNewEnv(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		NewEnv(nil)
	}
}

func BenchmarkCall(b *testing.B) {
	s, fn := loaded(b, "return function(a, b) return a + b end")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	one, two := lua.LValue(lua.LNumber(1)), lua.LValue(lua.LNumber(2))
	b.ReportAllocs()
	for b.Loop() {
		s.Begin(ctx, Calling, Limits{}, nil)
		if _, err := s.Call(fn, one, two); err != nil {
			b.Fatal(err)
		}
		s.End()
	}
}

// BenchmarkLua times a thousand rounds of a loop body; "empty" is what the loop itself takes.
func BenchmarkLua(b *testing.B) {
	for _, bm := range []struct{ name, body string }{
		{"empty", ""},
		{"global", "local f = type"},
		{"field", "local f = string.format"},
		{"method", "local f = s.len"},
		{"floor", "local x = math.floor(i)"},
		{"concat", "local x = s .. i"},
		{"pcall", "pcall(f)"},
		{"pcall-error", "pcall(error, 'x', 0)"},
		{"match", "local x = s:match('(%w+) ')"},
		{"find-plain", "local x = s:find('world', 1, true)"},
		{"gsub", "local x = s:gsub('o', '0')"},
		{"format", "local x = ('%d: %s'):format(i, s)"},
		{"wrap", "local x = coroutine.wrap(f)()"},
		{"pairs", "for k, v in pairs(t) do end"},
	} {
		b.Run(bm.name, func(b *testing.B) {
			s, fn := loaded(b, `local s, t, f = "hello world", {1, 2, 3, a = 1, b = 2}, function() end
				return function() for i = 1, 1000 do `+bm.body+` end end`)
			b.ReportAllocs()
			for b.Loop() {
				s.Begin(context.Background(), Calling, Limits{}, nil)
				if _, err := s.Call(fn); err != nil {
					b.Fatal(err)
				}
				s.End()
			}
		})
	}
}
