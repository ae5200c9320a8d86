package scripts

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/luabind/sandbox"
)

func TestLoadFaults(t *testing.T) {
	const run = "run = function() end"
	for _, tt := range []struct {
		name, source string
		want         string // File:line:col: message, or a part of it
	}{
		{"a syntax error has line and column", "return tool{\n  description = ,\n}\n", "tools/x.lua:2:17: syntax error near ','"},
		{"an unclosed block is named", "return tool{\n  run = function()\n    if x then\n  end,\n}\n", "tools/x.lua:"},
		{"an unknown field points at itself and at the right one", "return tool{\n  description = 'Does one thing, and well.',\n  input = {},\n  descripton = 'x',\n  " + run + ",\n}\n",
			"tools/x.lua:4:3: "},
		{"no description", "return tool{ " + run + " }\n", "description"},
		{"an empty description", "return tool{ description = '  ', " + run + " }\n", "description"},
		{"no run", "return tool{ description = 'Does one thing, and well.' }\n", "run"},
		{"an unknown type", "return tool{ description = 'Does one thing, and well.', input = { n = 'strng' }, " + run + " }\n", "strng"},
		{"a raw schema that is none", "return tool{ description = 'Does one thing, and well.', input = param.json [[{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"strng\"}}}]], " + run + " }\n", "tools/x.lua:1"},
		{"an output schema that is none", "return tool{ description = 'Does one thing, and well.', output = { a = 'strng' }, " + run + " }\n", "strng"},
		{"a misspelt global, deep inside", "local M = {}\nfunction M.f(x)\n  return prnt(x)\nend\nreturn tool{ description = 'Does one thing, and well.', " + run + " }\n",
			"tools/x.lua:3:10: 'prnt' is not declared: did you mean 'print'?"},
		{"a global that nothing is near to", "local a = zzyzx\nreturn tool{ description = 'Does one thing, and well.', " + run + " }\n",
			"tools/x.lua:1:11: 'zzyzx' is not declared: write `local zzyzx = …` above"},
		{"the second use of a name on one line", "local a = { zzyzx = 1, b = q.zzyzx, c = zzyzx }\nreturn 1\n", "tools/x.lua:1:41: 'zzyzx'"},
		{"writing a global", "count = 1\nreturn 1\n", "tools/x.lua:1:1: 'count' is not declared: write `local count`"},
		{"a global function", "function helper() end\nreturn 1\n", "tools/x.lua:1:10: 'helper' is not declared: write `local helper`"},
		{"writing a library", "string = nil\nreturn 1\n", "tools/x.lua:1:1: 'string' is read-only"},
		{"a word of another language", "return null\n", "tools/x.lua:1:8: 'null' is not declared: write nil, or json.null inside JSON data"},
		{"None too", "return None\n", "tools/x.lua:1:8: 'None' is not declared: write nil"},
		{"an operator of another version", "local a = 7 // 2\nreturn 1\n", "tools/x.lua:1:14: syntax error near '/' (for a // b write math.floor(a / b)"},
		{"UTF-16", "\xff\xfer\x00e\x00t\x00", "tools/x.lua: the file is UTF-16: save it as UTF-8"},
		{"a module of later versions", "local r = http.get('x')\nreturn 1\n", "tools/x.lua:1:11: this version has no module 'http'"},
		{"a function of standard Lua that is not there", "return load('x')\n", "tools/x.lua:1:8: 'load' of standard Lua is not there in tool files"},
		{"a module that is not there", "local x = require 'lib.helpr'\nreturn 1\n", `tools/x.lua:1:11: no module "lib.helpr": there is no lib/helpr.lua, did you mean "lib.helper"?`},
		{"a module outside lib", "local x = require 'helper'\nreturn 1\n", `require finds the files of lib only`},
		{"nothing returned", "local x = 1\n", "tools/x.lua:1"},
		{"an empty file", "", "tools/x.lua"},
		{"an error at the top level", "local x = nil\nlocal y = x.z\nreturn 1\n", "tools/x.lua:2"},
		{"a loop at the top level", "while true do end\n", "the top level ran longer than 2s"},
		{"tools without names in a list", "return { tool{ description = 'Does one thing, and well.', " + run + " }, tool{ description = 'Does one thing, and well.', " + run + " } }\n",
			"a file that returns several tools names each"},
		{"one name twice in a list", "return { tool('a', 'Does one thing, and well.', {}, function() end),\n  tool('a', 'Does one thing, and well.', {}, function() end) }\n",
			`tools/x.lua:2: tool "a" is already at tools/x.lua:1`},
		{"the file's other tools are named then", "return { tool('a', 'Does one thing, and well.', {}, function() end),\n  tool('B', 'Does one thing, and well.', {}, function() end) }\n",
			`; none of this file's 2 tools is loaded`},
		{"a name that is there twice does so too", "return { tool('a', 'Does one thing, and well.', {}, function() end),\n  tool('a', 'Does one thing, and well.', {}, function() end) }\n",
			`is already at tools/x.lua:1; none of this file's 2 tools is loaded`},
		{"all faults of a tool are told, each at its line: the field", "return tool{\n  description = 'Does one thing, and well.',\n  handler = print,\n  input = {\n    a = 'int',\n    b = param.string('x', { pattern = 'y' }),\n  },\n  timeout = 'soon',\n}\n",
			"tools/x.lua:3:3: tool: unknown field 'handler' (did you mean 'run'?)"},
		{"the one parameter", "return tool{\n  description = 'Does one thing, and well.',\n  handler = print,\n  input = {\n    a = 'int',\n    b = param.string('x', { pattern = 'y' }),\n  },\n  timeout = 'soon',\n}\n",
			"tools/x.lua:5:5: tool: input: property 'a': unknown type \"int\" (write \"integer\")"},
		{"the other parameter", "return tool{\n  description = 'Does one thing, and well.',\n  handler = print,\n  input = {\n    a = 'int',\n    b = param.string('x', { pattern = 'y' }),\n  },\n  timeout = 'soon',\n}\n",
			"tools/x.lua:6:5: tool: input: property 'b': param.string: unknown option 'pattern' (did you mean 'match'?)"},
		{"and the value", "return tool{\n  description = 'Does one thing, and well.',\n  handler = print,\n  input = {\n    a = 'int',\n    b = param.string('x', { pattern = 'y' }),\n  },\n  timeout = 'soon',\n}\n",
			"tools/x.lua:8:3: tool: field 'timeout': want a duration"},
		{"a parameter is looked for in its own table", "return tool{\n  description = 'Does one thing, and well.',\n  output = { a = 'string' },\n  input = { a = 'strng' },\n  " + run + ",\n}\n",
			"tools/x.lua:4:13: tool: input: property 'a'"},
		{"one bad tool fails its file", "return { tool('a', 'Does one thing, and well.', {}, function() end),\n  tool('B', 'Does one thing, and well.', {}, function() end) }\n",
			`tools/x.lua:2:3: tool "B": field 'name': want a name`},
		{"an enabled function that fails", "return tool{ description = 'Does one thing, and well.', enabled = function() error('no idea') end, " + run + " }\n", "no idea"},
		{"a file that is too long", "-- " + strings.Repeat("x", maxSource) + "\n", "the file is longer than 256 KiB"},
		{"a chain of calls without end", "local a = print" + strings.Repeat("()", 100_000) + "\n", "tools/x.lua:1"},
		{"a chain of elseif without end", "if a then" + strings.Repeat(" elseif 1 then", 15_000) + " end\n", "tools/x.lua:1"},
		{"bytes that are no Lua", "\x00\xff\xfe\x01", "tools/x.lua:1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, _ := openArchive(t, "-- lib/helper.lua --\nreturn {}\n-- good.lua --\n"+one, Options{})
			if err := os.WriteFile(filepath.Join(l.folder.dir, "x.lua"), []byte(tt.source), 0o644); err != nil {
				t.Fatal(err)
			}
			s := reload(t, l)
			equal(t, "tools", names(s), []string{"tools/good"})
			list := faults(s)
			if len(list) == 0 || !strings.Contains(strings.Join(list, "\n"), tt.want) {
				t.Errorf("faults\n got %q\nwant %q", list, tt.want)
			}
			for _, p := range s.Problems {
				if p.Line > 0 && p.Line <= strings.Count(tt.source, "\n") && p.Frame == "" {
					t.Errorf("%v has no frame", p)
				}
			}
		})
	}
}

func TestModulesThatNeedARight(t *testing.T) {
	l := testLoader(false)
	l.mods = append(l.mods, &luabind.Module{Name: "http", Needs: "net", Funcs: map[string]lua.LGFunction{"get": func(*lua.LState) int { return 0 }}})
	l.env = sandbox.NewEnv(l.mods)
	const tool = "return tool{\n  description = 'A tool for one test alone.',%s\n  run = function()\n    local a = {}\n    return http.get()\n  end,\n}\n"
	load := func(fields string) *file {
		return l.file(t.Context(), &source{file: "tools/x.lua", server: "tools", base: "x", top: true, text: fmt.Sprintf(tool, fields)})
	}
	if f := load(""); f.ok() || len(f.problems) != 1 || f.problems[0].Error() != "tools/x.lua:5:12: 'http' is used but permissions has no net" {
		t.Errorf("not declared: %v", f.problems)
	}
	if f := load(" permissions = { net = { 'example.com' } },"); !f.ok() {
		t.Errorf("declared: %v", f.problems)
	}
}

func TestFaultsInModules(t *testing.T) {
	l, _ := openArchive(t, `
-- lib/typo.lua --
local M = {}
function M.f(s) return strng.upper(s) end
return M
-- lib/fails.lua --
local x = nil
return x.y
-- a.lua --
local m = require "lib.typo"
return tool{ description = "Uses a module with a misspelt name.", run = function() return m.f("x") end }
-- b.lua --
local m = require "lib.fails"
return tool{ description = "Uses a module that cannot be run.", run = function() return "" end }
-- good.lua --
`+one, Options{})
	equal(t, "tools", names(l.Snapshot()), []string{"tools/good"})
	got := faults(l.Snapshot())
	if len(got) != 3 {
		t.Fatalf("faults %q", got)
	}
	for i, want := range []string{
		`tools/a.lua:1:11: module "lib.typo" does not load: tools/lib/typo.lua:2:24: 'strng' is not declared: did you mean 'string'?`,
		"tools/b.lua: ", "tools/lib/typo.lua:2:24: 'strng' is not declared: did you mean 'string'?",
	} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("fault %q, want %q", got[i], want)
		}
	}
	if !strings.HasSuffix(got[1], "(tools/lib/fails.lua:2)") {
		t.Errorf("fault %q names no place in the module", got[1])
	}
}

func TestWarnings(t *testing.T) {
	const archive = `
-- x.lua --
return tool{
  description = "Too short",
  input = { limit = "integer", text = param.string("What to look for") },
  permissions = { write = { "data" } },
  read_only = true,
  examples = { { input = { limit = 1, text = "a" } }, { input = { limit = "many" } } },
  run = function() end,
}
`
	s := openGood(t, archive).Snapshot()
	got := []string{}
	for _, p := range s.Problems {
		if !p.Warning {
			t.Errorf("%v is a fault", p)
		}
		got = append(got, p.Error())
	}
	if len(got) != 4 {
		t.Errorf("%d warnings: %q", len(got), got)
	}
	for _, want := range []string{
		`tools/x.lua:2:3: the description of "x" has 9 characters`,
		"tools/x.lua:3:3: parameter 'limit' has no description; models guess",
		`tools/x.lua:5:3: tool "x" says read_only and declares write`,
		"tools/x.lua:6:3: example 2 does not fit the tool's input",
	} {
		if !strings.Contains(strings.Join(got, "\n"), want) {
			t.Errorf("no warning %q among %q", want, got)
		}
	}
}

func TestFrame(t *testing.T) {
	const src = "return tool{\n  descripton = \"x\",\n\trun = f,\n}"
	for _, tt := range []struct {
		name             string
		src              string
		line, col, width int
		want             string
	}{
		{"three lines and a marker", src, 2, 3, 10, "1 │ return tool{\n2 │   descripton = \"x\",\n  │   ^^^^^^^^^^\n3 │   run = f,"},
		{"a tab is two cells, under which the marker stands", src, 3, 2, 3, "2 │   descripton = \"x\",\n3 │   run = f,\n  │   ^^^\n4 │ }"},
		{"a byte order mark is not shown, nor counted", "\xef\xbb\xbfabc", 1, 2, 1, "1 │ abc\n  │  ^"},
		{"the first line", "abc", 1, 2, 1, "1 │ abc\n  │  ^"},
		{"without a column there is no marker", "abc", 1, 0, 0, "1 │ abc"},
		{"past the end of the line", "abc", 1, 4, 1, "1 │ abc\n  │    ^"},
		{"a column counts bytes, the marker characters", "äö x", 1, 6, 1, "1 │ äö x\n  │    ^"},
		{"escape sequences do not reach the terminal", "a\x1b[31mb", 1, 1, 1, "1 │ a?[31mb\n  │ ^"},
		{"no such line", src, 9, 1, 1, ""},
		{"every kind of line end counts once", "a\r\nb\rc\n\rd", 3, 1, 1, "2 │ b\n3 │ c\n  │ ^\n4 │ d"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := frame(tt.src, tt.line, tt.col, tt.width); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func TestServerFile(t *testing.T) {
	const tools = "-- ops/a.lua --\n" + one + "-- ops/slow.lua --\nreturn tool{ description = 'Does one thing, and does it well.', timeout = '3s', run = function() end }\n"
	t.Run("every field arrives", func(t *testing.T) {
		s := openGood(t, tools+"-- ops/server.lua --\nreturn { title = 'Operations', version = '2.1', instructions = 'Be careful.', timeout = '1m30s', permissions = { net = { '*' } } }\n").Snapshot()
		o := s.Servers[0]
		if o.Title != "Operations" || o.Version != "2.1" || o.Instructions != "Be careful." || o.File != "tools/ops/server.lua" {
			t.Errorf("server %+v", *o)
		}
		if got := find(t, s, "ops/a").Timeout.String(); got != "1m30s" {
			t.Errorf("timeout %s, want the server's 1m30s", got)
		}
		if got := find(t, s, "ops/slow").Timeout.String(); got != "3s" {
			t.Errorf("timeout %s, want the tool's own 3s", got)
		}
	})
	t.Run("without one the version is 1.0.0", func(t *testing.T) {
		if o := openGood(t, tools).Snapshot().Servers[0]; o.Version != "1.0.0" || o.File != "" {
			t.Errorf("server %+v", *o)
		}
	})
	for _, tt := range []struct{ name, source, want string }{
		{"an unknown field gets a suggestion", "return {\n  titel = 'x',\n}\n", "tools/ops/server.lua:2:3: field 'titel' of server.lua: unknown, did you mean 'title'?"},
		{"a field of a wrong type", "return { title = 1 }\n", "tools/ops/server.lua:1:10: field 'title' of server.lua: want a string, got a number"},
		{"a time that is none", "return { timeout = 'soon' }\n", `want a time such as "500ms"`},
		{"an unknown right", "return { permissions = { nett = {} } }\n", "unknown right 'nett', did you mean 'net'?"},
		{"no table", "return 1\n", "server.lua returns no table"},
		{"a syntax error", "return {\n", "tools/ops/server.lua:"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, _ := openArchive(t, tools+"-- ops/server.lua --\n"+tt.source, Options{})
			if got := strings.Join(faults(l.Snapshot()), "\n"); !strings.Contains(got, tt.want) {
				t.Errorf("faults %q, want %q", got, tt.want)
			}
			equal(t, "tools", names(l.Snapshot()), []string{"ops/a", "ops/slow"})
		})
	}
	t.Run("a right above the ceiling fails the file", func(t *testing.T) {
		l, _ := openArchive(t, tools+"-- ops/server.lua --\nreturn { permissions = { net = { '*' } } }\n-- ops/w.lua --\nreturn tool{ description = 'Writes something somewhere.', permissions = { write = { '.' } }, run = function() end }\n", Options{})
		equal(t, "tools", names(l.Snapshot()), []string{"ops/a", "ops/slow"})
		equal(t, "faults", faults(l.Snapshot()), []string{`tools/ops/w.lua:1:8: tool "w" declares write, and tools/ops/server.lua names no write in permissions`})
	})
}

func TestEnabled(t *testing.T) {
	const archive = `
-- off.lua --
return tool{ description = "Is never there for anybody.", enabled = false, run = function() end }
-- why.lua --
return tool{ description = "Is never there for anybody.", enabled = function() return false, "needs a database" end, run = function() end }
-- on.lua --
return tool{ description = "Is there, since it says so.", enabled = function() return true end, run = function() return "on" end }
-- sub/off.lua --
return { tool{ name = "same", description = "Is there instead of the other.", run = function() return "here" end },
  tool{ name = "gone", description = "Is never there for anybody.", enabled = false, run = function() end } }
-- sub/other.lua --
return tool{ name = "gone", description = "Takes the name that is free.", run = function() end }
`
	s := openGood(t, archive).Snapshot()
	equal(t, "tools", names(s), []string{"sub/gone", "sub/same", "tools/on"})
	got := []string{}
	for _, d := range s.Disabled {
		got = append(got, d.Server+"/"+d.Name+": "+d.Why)
	}
	equal(t, "disabled", got, []string{"sub/gone: enabled = false", "tools/off: enabled = false", "tools/why: needs a database"})
	if got := callText(t, find(t, s, "tools/on"), "{}"); got != "on" {
		t.Errorf("on = %q", got)
	}
}

func TestPrintsOfTheTopLevelAreHeardOnce(t *testing.T) {
	heard := make(chan string, 10)
	l, _ := openArchive(t, "-- a.lua --\nprint('loading')\n"+one, Options{Log: func(file, level, text string) { heard <- file + ": " + text }})
	for range 3 {
		callText(t, find(t, l.Snapshot(), "tools/a"), "{}")
	}
	close(heard)
	var all []string
	for h := range heard {
		all = append(all, h)
	}
	equal(t, "heard", all, []string{"tools/a.lua: loading"})
}

func TestLoadingIsTheSameOnOneProcessorAndMany(t *testing.T) {
	var archive strings.Builder
	for i := range 40 {
		name := string(rune('a'+i%26)) + string(rune('a'+i/26))
		archive.WriteString("-- " + name + ".lua --\n")
		if i%5 == 0 {
			archive.WriteString("return tool{\n")
		} else {
			archive.WriteString(strings.Replace(one, "tool{", "tool{ name = 't"+string(rune('a'+i%7))+"',", 1))
		}
	}
	l, _ := openArchive(t, archive.String(), Options{})
	tools, bad := names(l.Snapshot()), faults(l.Snapshot())
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	again, err := Open(l.folder.dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	equal(t, "tools", names(again.Snapshot()), tools)
	equal(t, "faults", faults(again.Snapshot()), bad)
}

func TestExamplesLoad(t *testing.T) {
	for _, tt := range []struct{ dir, tool, description, input, args, want string }{
		{"greet", "demo_tools/greet", "Greet someone by name",
			`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`, `{"name":"Alice"}`, "Hello, Alice! Welcome."},
		{"math", "math-tools/add_numbers", "Add two numbers together",
			`{"type":"object","properties":{"a":{"type":"number","description":"First number"},"b":{"type":"number","description":"Second number"}},"required":["a","b"]}`,
			`{"a":15,"b":27}`, "15 + 27 = 42"},
		{"math", "math-tools/reverse_string", "Reverse a string",
			`{"type":"object","properties":{"text":{"type":"string","description":"String to reverse"}},"required":["text"]}`, `{"text":"hällo"}`, "olläh"},
	} {
		t.Run(tt.tool, func(t *testing.T) {
			l, err := Open(filepath.Join("..", "examples", tt.dir, "tools"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			equal(t, "faults", faults(l.Snapshot()), nil)
			tool := find(t, l.Snapshot(), tt.tool)
			if tool.Definition.Description != tt.description {
				t.Errorf("description %q, want %q", tool.Definition.Description, tt.description)
			}
			if got := string(tool.Definition.Input); got != tt.input {
				t.Errorf("schema\n got %s\nwant %s", got, tt.input)
			}
			if got := callText(t, tool, tt.args); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
