package scripts

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/luabind/sandbox"
)

// Whatever bytes a tool file has, loading it ends, and either it has tools that can be called or it has faults with a place in the file.
func FuzzToolFile(f *testing.F) {
	for _, seed := range []string{
		one, saying("x"), "", "return 1", "return tool", "return tool{", "return {}", "#!/usr/bin/lua\nreturn tool{}", "\xef\xbb\xbf" + one,
		"return tool{ description = 'x', input = { a = 'strng' }, run = function() end }",
		"return { tool('a', 'b', {}, function() return { content = {} } end), tool('b', 'c', { a = 'string?' }, print) }",
		"local function f() return f() end return f()",
		"return tool{ description = ('x'):rep(1e6), run = function() error{} end }",
		"return setmetatable({}, { __index = function() return 1 end })",
		"return tool{ run = function(a, c) c:sleep('1ms') end, description = 'x' .. 'y', confirm = function() end }",
		"goto x; do ::x:: end", "return tool(tool(tool))", "for k, v in pairs(_G) do print(k, v) end",
	} {
		f.Add([]byte(seed))
	}
	for _, pattern := range []string{"../examples/*/tools/*.lua", "../examples/*/tools/*/*.lua"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	l := testLoader(false)
	f.Fuzz(func(t *testing.T, src []byte) {
		before := live.Load()
		got := l.file(context.Background(), &source{file: "tools/x.lua", server: "tools", base: "x", top: true, text: string(src)})
		if !got.ok() {
			if !failed(got.problems) || len(got.tools) > 0 {
				t.Fatalf("no states, and problems %v, tools %v", got.problems, got.tools)
			}
			return
		}
		if failed(got.problems) || len(got.tools) == 0 {
			t.Fatalf("states, and problems %v, tools %v", got.problems, got.tools)
		}
		for _, tool := range got.tools {
			res, err := tool.Call(context.Background(), json.RawMessage("{}"))
			if res == nil || err != nil && !res.IsError {
				t.Fatalf("result %+v, err %v", res, err)
			}
			if _, err := res.AppendJSON(nil); err != nil {
				t.Fatalf("a result that cannot be encoded: %v", err)
			}
			tool.ConfirmText(context.Background(), json.RawMessage("{}"))
		}
		got.states.retire()
		if after := live.Load(); after != before {
			t.Fatalf("%d states before, %d after", before, after)
		}
	})
}

// testLoader loads single files, with small limits.
func testLoader(noReuse bool) *loader {
	mods := luabind.Modules()
	return &loader{env: sandbox.NewEnv(mods), mods: mods, running: newGate(), options: Options{NoReuse: noReuse,
		Limits: sandbox.Limits{Wall: 200 * time.Millisecond, Steps: 100_000, Bytes: 1 << 20, StringBytes: 1 << 20}}}
}
