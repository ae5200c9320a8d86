package scripts

import (
	"slices"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/sandbox"
)

// strings of a prototype and those inside it.
func constants(p *lua.FunctionProto) []string {
	var list []string
	for _, c := range p.Constants {
		if s, ok := c.(lua.LString); ok {
			list = append(list, string(s))
		}
	}
	for _, child := range p.FunctionPrototypes {
		list = append(list, constants(child)...)
	}
	return list
}

func TestLean(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		gone, kept   []string
	}{
		{"declarations go, functions stay", `return tool{ description = "dropped", input = { a = param.string("dropped too", { min = 1 }) }, run = function() return "kept" end }`,
			[]string{"dropped", "dropped too", "param"}, []string{"kept", "run"}},
		{"in a returned table too", `return { tool{ description = "dropped", run = function() return "kept" end } }`, []string{"dropped"}, []string{"kept"}},
		{"the positional form", `return { tool("name", "dropped", { a = "number" }, function() return "kept" end) }`, []string{"dropped", "number"}, []string{"kept"}},
		{"joined constants go", `return tool{ description = "dropped" .. "joined", run = function() end }`, []string{"dropped"}, nil},
		{"confirm and enabled stay", `return tool{ description = "dropped", confirm = function() return "asked" end, enabled = function() return "looked" end, run = function() end }`,
			[]string{"dropped"}, []string{"asked", "looked"}},
		{"what may have an effect stays", `local f = function() return "x" end; return tool{ description = f("called"), run = function() end }`, nil, []string{"called", "description"}},
		{"a field of a table may run a metamethod", `local m = {}; return tool{ description = m["field"], run = function() end }`, nil, []string{"field"}},
		{"another tool is not ours", `local function tool(x) return x end; return tool{ description = "other", run = function() end }`, nil, []string{"other"}},
		{"a shadowed param is not ours", `local param = {}; return tool{ input = { a = param.string("own") }, run = function() end }`, nil, []string{"own"}},
		{"a call outside the last return stays as it is", `local t = tool{ description = "early", run = function() end }; return t`, nil, []string{"early"}},
		{"a return that is not the last", `do return tool{ description = "inner" } end`, nil, []string{"inner"}},
		{"a computed key stays", `local k = "k"; return tool{ [k] = "valued", run = function() end }`, nil, []string{"valued"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			chunk, err := sandbox.Parse("x.lua", []byte(tt.source))
			if err != nil {
				t.Fatal(err)
			}
			small := lean(chunk, examine(chunk))
			full, err := sandbox.Compile(chunk, "x.lua")
			if err != nil {
				t.Fatal(err)
			}
			proto, err := sandbox.Compile(small, "x.lua")
			if err != nil {
				t.Fatal(err)
			}
			all, got := constants(full), constants(proto)
			for _, s := range tt.gone {
				if !slices.ContainsFunc(all, func(c string) bool { return len(c) >= len(s) && c[:len(s)] == s }) {
					t.Errorf("%q is not even in the full prototype: %q", s, all)
				}
				if slices.ContainsFunc(got, func(c string) bool { return len(c) >= len(s) && c[:len(s)] == s }) {
					t.Errorf("%q is still there: %q", s, got)
				}
			}
			for _, s := range tt.kept {
				if !slices.Contains(got, s) {
					t.Errorf("%q is gone: %q", s, got)
				}
			}
		})
	}
}

func TestLeanFilesKeepTheirLines(t *testing.T) {
	l := openGood(t, `
-- x.lua --
return tool{
  description = "Fails on a line that is known.",
  input = {
    a = "string?",
  },
  run = function(args)
    local x = nil
    return x.y
  end,
}
`)
	_, err := find(t, l.Snapshot(), "tools/x").Call(t.Context(), []byte("{}"))
	f, ok := err.(*sandbox.Fault)
	if !ok || f.File != "tools/x.lua" || f.Line != 8 {
		t.Errorf("fault %+v, want line 8 of tools/x.lua", err)
	}
}
