package luabind

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/sandbox"
)

func TestTheSchemaOfGreetIsExact(t *testing.T) {
	def := mustLoad(t, `return tool{ name = "greet", description = "Greet someone by name", input = { name = "string" },
		run = function(args) return "Hello, " .. args.name .. "! Welcome." end }`)
	if want := `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`; string(def.Input) != want {
		t.Errorf("got %s", def.Input)
	}
}

func TestAllFields(t *testing.T) {
	def := mustLoad(t, `
return tool{
  name = "current", title = "Current weather", description = "Current weather for a city.",
  input = { location = "string", units = param.enum("Unit", { "c", "f" }, { default = "c" }) },
  output = { temperature = "number", note = "string?" },
  permissions = { net = { "api.open-meteo.com" }, secrets = "WEATHER_KEY" },
  read_only = true, destructive = false, idempotent = true, open_world = false,
  timeout = "1m30s", rate = "60/m", concurrency = 4, confirm = "Really?", keep = true, always_load = false, max_result = "1.5KiB",
  examples = { { input = {}, output = { temperature = 1 }, note = "none" }, { input = { location = "Bern" } } },
  enabled = false, annotations = { title = "x", custom = {} }, icons = { { src = "https://x.org/i.png", sizes = { "48x48" } } }, meta = { ["x/y"] = 1 },
  run = function() end,
}`)
	yes, no := true, false
	def.Run = nil
	want := &Definition{
		Name: "current", Title: "Current weather", Description: "Current weather for a city.",
		Input: []byte(`{"type":"object","properties":{"location":{"type":"string"},"units":{"type":"string","enum":["c","f"],"description":"Unit","default":"c"}},"required":["location"]}`),
		InputGate: []byte(`{"type":"object","properties":{"location":{"type":"string"},"units":{"type":"string","enum":["c","f"],"description":"Unit","default":"c"}},"required":["location"],` +
			`"additionalProperties":false}`),
		Output:         []byte(`{"type":"object","properties":{"temperature":{"type":"number"},"note":{"type":"string"}},"required":["temperature"]}`),
		OutputGate:     []byte(`{"type":"object","properties":{"temperature":{"type":"number"},"note":{"type":"string"}},"required":["temperature"],"additionalProperties":false}`),
		OutputDeclared: true,
		Permissions:    Permissions{Net: []string{"api.open-meteo.com"}, Secrets: []string{"WEATHER_KEY"}, Raw: []byte(`{"net":["api.open-meteo.com"],"secrets":["WEATHER_KEY"]}`)},
		ReadOnly:       &yes, Destructive: &no, Idempotent: &yes, OpenWorld: &no,
		Timeout: 90 * time.Second, Rate: "60/m", Concurrency: 4, Confirm: "Really?", Keep: true, AlwaysLoad: false, MaxResult: 1536,
		Examples: []byte(`[{"input":{},"output":{"temperature":1},"note":"none"},{"input":{"location":"Bern"}}]`),
		Enabled:  &no, Annotations: []byte(`{"title":"x","custom":[]}`), Icons: []byte(`[{"src":"https://x.org/i.png","sizes":["48x48"]}]`), Meta: []byte(`{"x/y":1}`),
		Line: 2,
	}
	if !reflect.DeepEqual(def, want) {
		t.Errorf("\n got %+v\nwant %+v", def, want)
	}
}

func TestToolDefaults(t *testing.T) {
	const none = `{"type":"object","properties":{},"required":[]}`
	const closed = `{"type":"object","properties":{},"required":[],"additionalProperties":false}`
	for name, source := range map[string]string{
		"no input":         `return tool{ description = "A tool", run = function() end }`,
		"an empty input":   `return tool{ description = "A tool", input = {}, run = function() end }`,
		"positional, nil":  `return tool("x", "A tool", nil, function() end)`,
		"positional, none": `return tool("x", "A tool", {}, function() end)`,
	} {
		def := mustLoad(t, source)
		if string(def.Input) != none || string(def.InputGate) != closed {
			t.Errorf("%s: %s, %s", name, def.Input, def.InputGate)
		}
		if def.OutputDeclared || def.Output != nil || !def.AlwaysLoad || def.Enabled != nil || def.Run == nil || def.Line != 1 || def.Permissions.Raw != nil {
			t.Errorf("%s: %+v", name, def)
		}
	}
}

func TestRootSchemas(t *testing.T) {
	for _, tt := range []struct{ name, lua, shown string }{
		{"raw JSON Schema", `{ type = "object", properties = { a = { type = "string" } }, required = { "a" } }`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`},
		{"raw JSON Schema without required gets it", `{ type = "object", properties = {} }`, `{"type":"object","properties":{},"required":[]}`},
		{"raw JSON, byte for byte", `param.json [[{"type":"object", "properties":{},"additionalProperties":false}]]`, `{"type":"object", "properties":{},"additionalProperties":false}`},
		{"param.object, to be open", `param.object("All of it", { a = "string" }, { open = true })`,
			`{"type":"object","description":"All of it","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":true}`},
		{"param.object of any kind", `param.object("Anything")`, `{"type":"object","description":"Anything","properties":{},"required":[],"additionalProperties":true}`},
		{"a parameter called type", `{ type = "string", title = "string?" }`, `{"type":"object","properties":{"type":{"type":"string"},"title":{"type":"string"}},"required":["type"]}`},
		{"a parameter called type that is an object", `{ type = "object", city = "string" }`, `{"type":"object","properties":{"type":{"type":"object"},"city":{"type":"string"}},"required":["type","city"]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			def := mustLoad(t, `return tool("x", "A tool", `+tt.lua+`, function() end)`)
			if string(def.Input) != tt.shown {
				t.Errorf("\n got %s\nwant %s", def.Input, tt.shown)
			}
		})
	}
}

func TestToolFaults(t *testing.T) {
	const rest = `description = "A tool", run = function() end `
	for _, tt := range []struct{ name, lua, want string }{
		{"an unknown field", `tool{ descripton = "A tool", run = function() end }`, `tool: unknown field 'descripton' (did you mean 'description'?)`},
		{"another word for input: inputSchema", `tool{ inputSchema = 1, ` + rest + ` }`, `tool: unknown field 'inputSchema' (did you mean 'input'?): there are name, title,`},
		{"another word for input: parameters", `tool{ parameters = 1, ` + rest + ` }`, `tool: unknown field 'parameters' (did you mean 'input'?): there are name, title,`},
		{"another word for input: params", `tool{ params = 1, ` + rest + ` }`, `tool: unknown field 'params' (did you mean 'input'?): there are name, title,`},
		{"another word for input: args", `tool{ args = 1, ` + rest + ` }`, `tool: unknown field 'args' (did you mean 'input'?): there are name, title,`},
		{"another word for run: handler", `tool{ handler = 1, ` + rest + ` }`, `tool: unknown field 'handler' (did you mean 'run'?): there are name, title,`},
		{"another word for run: execute", `tool{ execute = 1, ` + rest + ` }`, `tool: unknown field 'execute' (did you mean 'run'?): there are name, title,`},
		{"another word for run: fn", `tool{ fn = 1, ` + rest + ` }`, `tool: unknown field 'fn' (did you mean 'run'?): there are name, title,`},
		{"another word for run: callback", `tool{ callback = 1, ` + rest + ` }`, `tool: unknown field 'callback' (did you mean 'run'?): there are name, title,`},
		{"another word for output: outputSchema", `tool{ outputSchema = 1, ` + rest + ` }`, `tool: unknown field 'outputSchema' (did you mean 'output'?): there are name, title,`},
		{"another word for read_only: readOnly", `tool{ readOnly = 1, ` + rest + ` }`, `tool: unknown field 'readOnly' (did you mean 'read_only'?): there are name, title,`},
		{"another word for read_only: readOnlyHint", `tool{ readOnlyHint = 1, ` + rest + ` }`, `tool: unknown field 'readOnlyHint' (did you mean 'read_only'?): there are name, title,`},
		{"a field that nothing is near to", `tool{ frobnicate = 1, ` + rest + ` }`, `tool: unknown field 'frobnicate': there are name, title, description, input,`},
		{"the tool's name stands in front", `tool{ name = "deploy", descripton = "x" }`, `tool "deploy": unknown field 'descripton'`},
		{"an element without a name", `tool{ "x", ` + rest + ` }`, `tool: unknown field 1`},
		{"no run", `tool{ description = "A tool" }`, `tool: field 'run' is missing`},
		{"no description", `tool{ run = function() end }`, `tool: field 'description' is missing`},
		{"an empty description", `tool{ description = " ", run = function() end }`, `field 'description': want a text that is not empty`},
		{"a description that is no string", `tool{ description = 3, run = function() end }`, `field 'description': want a string, got 3`},
		{"run that is no function", `tool{ description = "A tool", run = "x" }`, `field 'run': want a function(args, ctx), got "x"`},
		{"a bad name", `tool{ name = "My Tool", ` + rest + `}`, `field 'name': want a name of the letters a-z`},
		{"two underscores", `tool{ name = "a__b", ` + rest + `}`, `field 'name': want a name`},
		{"input as a string", `tool{ input = "string", ` + rest + `}`, `field 'input': want a table of parameters, as in { name = "string" }, got the string alone`},
		{"input as a number", `tool{ input = 3, ` + rest + `}`, `field 'input': want a table of parameters, as in { name = "string" }, got 3`},
		{"input as a list", `tool{ input = { "string" }, ` + rest + `}`, `field 'input': want names and types, as in { name = "string" }, got an element without a name: "string"`},
		{"input as one parameter", `tool{ input = param.string("x"), ` + rest + `}`, `field 'input': want a table of parameters or param.object, got another param`},
		{"an optional input", `tool{ input = param.object("x", {}, { optional = true }), ` + rest + `}`, `field 'input': the whole cannot be optional`},
		{"a raw input of another type", `tool{ input = param.json '{"type":"string"}', ` + rest + `}`, `field 'input': want JSON Schema of an object`},
		{"an input that may be either", `tool{ input = { type = "object", required = { "a" } }, ` + rest + `}`, `field 'input': type = "object" without a table properties may be`},
		{"a bad property of output", `tool{ output = { n = "nmber" }, ` + rest + `}`, `tool: output: property 'n': unknown type "nmber"`},
		{"a flag as a string", `tool{ read_only = "yes", ` + rest + `}`, `field 'read_only': want true or false, got "yes"`},
		{"keep as a number", `tool{ keep = 1, ` + rest + `}`, `field 'keep': want true or false, got 1`},
		{"a timeout without unit", `tool{ timeout = "10", ` + rest + `}`, `field 'timeout': want a duration such as "500ms", "10s", "1h30m" or a number of seconds, got "10"`},
		{"a timeout of nothing", `tool{ timeout = 0, ` + rest + `}`, `field 'timeout': want a duration`},
		{"a negative timeout", `tool{ timeout = "-1s", ` + rest + `}`, `field 'timeout': want a duration`},
		{"an endless timeout", `tool{ timeout = 1/0, ` + rest + `}`, `field 'timeout': want a duration`},
		{"a rate", `tool{ rate = "60", ` + rest + `}`, `field 'rate': want a rate such as "60/m" or "5/s burst 10", got "60"`},
		{"a concurrency of nothing", `tool{ concurrency = 0, ` + rest + `}`, `field 'concurrency': want a whole number from 1 on, got 0`},
		{"a size", `tool{ max_result = "4 apples", ` + rest + `}`, `field 'max_result': want a size such as "4MiB", "100KB" or a number of bytes, got "4 apples"`},
		{"confirm as a flag", `tool{ confirm = true, ` + rest + `}`, `field 'confirm': want a question as text, or a function(args) that returns one, got true`},
		{"enabled as a string", `tool{ enabled = "no", ` + rest + `}`, `field 'enabled': want true, false or a function`},
		{"examples without input", `tool{ examples = { { output = 1 } }, ` + rest + `}`, `field 'examples': example 1: input: want a table of arguments, got nil`},
		{"an unknown field of an example", `tool{ examples = { { input = {}, notes = "x" } }, ` + rest + `}`, `field 'examples': example 1: unknown field 'notes' (did you mean 'note'?)`},
		{"annotations as a list", `tool{ annotations = { 1 }, ` + rest + `}`, `field 'annotations': want a table with names, got a list`},
		{"meta with a function", `tool{ meta = { a = print }, ` + rest + `}`, `field 'meta': meta.a: a function cannot be sent`},
		{"icons without src", `tool{ icons = { {} }, ` + rest + `}`, `field 'icons': icon 1: src: want a URL as a string, got nil`},
		{"permissions as a list", `tool{ permissions = "net", ` + rest + `}`, `field 'permissions': want a table such as`},
		{"no argument", `tool()`, `tool: want tool{ … } or tool(name, description, input, run), got nil`},
		{"something behind the table", `tool({ ` + rest + ` }, 1)`, `tool: want tool{ … } or tool(name, description, input, run), got a number behind the table`},
		{"positional without a function", `tool("x", "A tool", {})`, `tool "x": field 'run' is missing`},
		{"positional with a bad input", `tool("x", "A tool", { a = "strin" }, function() end)`, `tool "x": input: property 'a': unknown type "strin"`},
		{"positional with a field twice", `tool("x", "A tool", {}, function() end, { name = "y" })`, `tool "x": field 'name' is given twice`},
		{"positional with more that is no table", `tool("x", "A tool", {}, function() end, true)`, `tool "x": want a table of further fields behind the function, got true`},
		{"positional with too much", `tool("x", "A tool", {}, function() end, {}, 1)`, `at most five arguments`},
		{"a look into a tool", `tool{ ` + rest + `}.run`, `a tool has no field 'run'`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, `return `+tt.lua)
			wantFault(t, err, tt.want)
		})
	}
}

func TestAllFaultsOfAToolAreTold(t *testing.T) {
	values, err := run(t, sandbox.Loading, nil, `
		local limit = param.integer("How many", { minimum = 1, maximum = 5 })
		return {
			tool{ name = "a", description = "A tool", input = { limit = limit, q = "str", deep = { n = "int" } }, timeout = "soon", handler = print, keep = 1 },
			tool{ name = "b" },
			tool{ name = "c", description = "A tool", run = function() end },
		}`)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Tools(values)
	e, ok := errors.AsType[*FaultsError](err)
	if !ok || e.Tools != 3 {
		t.Fatalf("%v", err)
	}
	want := []Fault{
		{4, `tool "a": unknown field 'handler' (did you mean 'run'?)`},
		{4, `tool "a": input: property 'limit': param.integer: unknown option 'minimum' (did you mean 'min'?)`},
		{4, `tool "a": input: property 'limit': param.integer: unknown option 'maximum' (did you mean 'max'?)`},
		{4, `tool "a": input: property 'q': unknown type "str" (write "string")`},
		{4, `tool "a": input: property 'n' of deep: unknown type "int" (write "integer")`},
		{4, `tool "a": field 'timeout': want a duration`},
		{4, `tool "a": field 'keep': want true or false, got 1`},
		{5, `tool "b": field 'run' is missing`},
		{5, `tool "b": field 'description' is missing`},
	}
	for i, f := range e.Faults {
		if i >= len(want) || f.Line != want[i].Line || !strings.HasPrefix(f.Message, want[i].Message) {
			t.Errorf("fault %d: %+v", i, f)
		}
	}
	if len(e.Faults) != len(want) {
		t.Errorf("%d faults, want %d", len(e.Faults), len(want))
	}
}

func TestVeryManyFaultsAreCut(t *testing.T) {
	_, err := load(t, `local t = {} for i = 1, 5000 do t["p" .. i] = "strng" end t.input = t return tool(t)`)
	if e, ok := errors.AsType[*FaultsError](err); !ok || len(e.Faults) != maxFaults {
		t.Errorf("%.200v", err)
	}
}

func TestToolsAmongReturnedValues(t *testing.T) {
	const a, b = `tool("a", "A tool", {}, function() end)`, `tool("b", "A tool", {}, function() end, { read_only = true })`
	for _, tt := range []struct {
		name, source string
		want         []string
		err          string
	}{
		{"one", `return ` + a, []string{"a"}, ""},
		{"a list", `return { ` + a + `, ` + b + ` }`, []string{"a", "b"}, ""},
		{"several values", `return ` + a + `, ` + b, []string{"a", "b"}, ""},
		{"nothing", ``, nil, ""},
		{"nil", `return nil`, nil, ""},
		{"an empty list", `return {}`, nil, ""},
		{"a plain table", `return { description = "x", run = function() end }`, nil, "the file returned a plain table: write return tool{ … }"},
		{"names for keys", `return { a = ` + a + ` }`, nil, "the file returned a table with the key 'a': want a list of tools"},
		{"something in the list", `return { ` + a + `, "b" }`, nil, "item 2 of the returned list is a string: want a tool"},
		{"a gap", `return { ` + a + `, nil, ` + b + ` }`, nil, "a gap"},
		{"a string", `return "a"`, nil, "the file returned a string: want return tool{ … }"},
		{"a parameter", `return param.string("x")`, nil, "the file returned a param"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, mode := range []sandbox.Mode{sandbox.Loading, sandbox.Lean} {
				values, err := run(t, mode, nil, tt.source)
				if err != nil {
					t.Fatal(err)
				}
				defs, err := Tools(values)
				if tt.err != "" {
					if mode == sandbox.Loading {
						wantFault(t, err, tt.err)
					}
					continue
				}
				if err != nil || len(defs) != len(tt.want) {
					t.Fatalf("%v: %v, %v", mode, defs, err)
				}
				for i, def := range defs {
					f, n, ok := FunctionsOf(values, i)
					if !ok || n != len(defs) || f.Run != def.Run || def.Run == nil {
						t.Errorf("FunctionsOf %d: %v, %d, %v", i, f, n, ok)
					}
					if mode == sandbox.Loading && def.Name != tt.want[i] || mode == sandbox.Lean && (def.Name != "" || def.Input != nil) {
						t.Errorf("%d: %+v", mode, def)
					}
				}
				if _, n, ok := FunctionsOf(values, len(defs)); ok || n != len(defs) && len(values) > 0 && values[0] != lua.LNil {
					t.Errorf("FunctionsOf beyond the last: %d, %v", n, ok)
				}
			}
		})
	}
}

func TestLeanToolKeepsOnlyItsFunctions(t *testing.T) {
	for _, tt := range []struct{ name, source string }{
		{"by name", `return tool{ description = 3, input = nonsense and 1, bogus = true, run = function() return 1 end, confirm = function() end, enabled = function() end }`},
		{"by position", `return tool(nil, nil, nil, function() return 1 end, { confirm = function() end, enabled = function() end, bogus = 1 })`},
		{"parameters are not looked at", `local p = param.string(1, 2, 3) assert(p == true and param.json(nil) == true)
			return tool{ input = { p = p }, run = function() return 1 end, confirm = function() end, enabled = function() end }`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			values, err := run(t, sandbox.Lean, nil, `local nonsense; `+tt.source)
			if err != nil {
				t.Fatal(err)
			}
			defs, err := Tools(values)
			if err != nil || len(defs) != 1 {
				t.Fatal(defs, err)
			}
			if d := defs[0]; d.Run == nil || d.ConfirmFunc == nil || d.EnabledFunc == nil || d.Confirm != "" || d.Description != "" {
				t.Errorf("%+v", d)
			}
		})
	}
	_, err := run(t, sandbox.Lean, nil, `return tool{ run = 1 }`)
	wantFault(t, err, `field 'run': want a function: it was one when the file was loaded`)
}

func TestLineIsThatOfTheToolCall(t *testing.T) {
	values, err := run(t, sandbox.Loading, nil, "\n\nlocal a =\n  tool(\"a\", \"A tool\", {}, function() end)\nreturn {\n a,\n tool{\n  name = \"b\",\n description = \"x\", run = function() end } }")
	if err != nil {
		t.Fatal(err)
	}
	defs, err := Tools(values)
	if err != nil || defs[0].Line != 4 || defs[1].Line != 7 {
		t.Errorf("%d, %d, %v", defs[0].Line, defs[1].Line, err)
	}
}

func TestPermissions(t *testing.T) {
	def := mustLoad(t, `return tool("x", "A tool", {}, function() end, { permissions = {
		net = { "api.x.com", "*.x.com", "localhost:8080", "https://x.com/v1/", { "GET", "HEAD", "api.y.com" }, "*" },
		read = ".", write = { "data/**", "a.txt" }, env = { "HOME", "AWS_*" }, run = { "git", { "go", args = { "test", "vet" } } },
		db = { "orders:read", "orders:write" }, secrets = { "KEY" }, tools = { "db/query", "ops/*", "greet" } } })`)
	p := def.Permissions
	p.Raw = nil
	want := Permissions{
		Net:  []string{"api.x.com", "*.x.com", "localhost:8080", "https://x.com/v1/", "GET,HEAD api.y.com", "*"},
		Read: []string{"."}, Write: []string{"data/**", "a.txt"}, Env: []string{"HOME", "AWS_*"}, Run: []string{"git", "go test", "go vet"},
		DB: []string{"orders:read", "orders:write"}, Secrets: []string{"KEY"}, Tools: []string{"db/query", "ops/*", "greet"},
	}
	if !reflect.DeepEqual(p, want) {
		t.Errorf("\n got %+v\nwant %+v", p, want)
	}
}

func TestPermissionFaults(t *testing.T) {
	for lua, want := range map[string]string{
		`{ nett = {} }`:                          `field 'permissions': unknown right 'nett' (did you mean 'net'?)`,
		`{ net = true }`:                         `net: want a list of strings, got true`,
		`{ net = { 3 } }`:                        `net: entry 1: want a string, got 3`,
		`{ net = { host = "x" } }`:               `net: want a list of strings, got a table with the key 'host'`,
		`{ net = { "x.com/path" } }`:             `net: "x.com/path": a path needs its scheme`,
		`{ net = { "ftp://x.com" } }`:            `want http or https`,
		`{ net = { "" } }`:                       `want a host such as`,
		`{ net = { "x.com:http" } }`:             `the port is no number`,
		`{ net = { "a b" } }`:                    `want a host such as`,
		`{ net = { { "GTE", "x.com" } } }`:       `net: entry 1: unknown method "GTE"`,
		`{ net = { { "x.com" } } }`:              `want methods and a host`,
		`{ read = { "/etc" } }`:                  `read: "/etc": want a path relative to the root`,
		`{ read = { "../x" } }`:                  `the path leads out of the root`,
		`{ write = { "a/../../x" } }`:            `the path leads out of the root`,
		`{ write = { "C:x" } }`:                  `want a path relative to the root`,
		`{ env = { "A B" } }`:                    `want a name such as`,
		`{ env = { "*" } }`:                      `want a name such as`,
		`{ run = { "rm -rf" } }`:                 `want the name of one program`,
		`{ run = { { "git", arg = { "x" } } } }`: `run: entry 1: unknown field 'arg' (did you mean 'args'?)`,
		`{ run = { { "git", args = {} } } }`:     `args: want a list of first arguments`,
		`{ run = { { args = { "x" } } } }`:       `want a program and its first arguments`,
		`{ db = { "orders" } }`:                  `want a connection and a right`,
		`{ db = { "orders:drop" } }`:             `want a connection and a right`,
		`{ secrets = { "" } }`:                   `want a name such as`,
		`{ tools = { "DB/query" } }`:             `want a tool such as`,
	} {
		_, err := load(t, `return tool("x", "A tool", {}, function() end, { permissions = `+lua+` })`)
		wantFault(t, err, want)
	}
}

func TestUnits(t *testing.T) {
	for text, want := range map[string]time.Duration{"500ms": 500 * time.Millisecond, "10s": 10 * time.Second, "1h30m": 90 * time.Minute, "1.5s": 1500 * time.Millisecond} {
		if d, complaint := parseDuration(lua.LString(text)); d != want || complaint != "" {
			t.Errorf("%s is %v, %s", text, d, complaint)
		}
	}
	if d, complaint := parseDuration(lua.LNumber(0.25)); d != 250*time.Millisecond || complaint != "" {
		t.Errorf("0.25 is %v, %s", d, complaint)
	}
	for _, text := range []string{"", "10", "s", "10 s", "+1s", "1µs", "1us", "1ns", "-1s", "0s", "9000h"} {
		if d, complaint := parseDuration(lua.LString(text)); complaint == "" {
			t.Errorf("%q is %v", text, d)
		}
	}
	for text, want := range map[string]int64{"4MiB": 4 << 20, "100KB": 100_000, "1kB": 1000, "1.5GiB": 3 << 29, "512 B": 512, "2GB": 2e9, "1MB": 1e6} {
		if n, complaint := parseSize(lua.LString(text)); n != want || complaint != "" {
			t.Errorf("%s is %d, %s", text, n, complaint)
		}
	}
	for _, text := range []string{"", "4", "MiB", "-1B", "0B", "1.2.3B", "9999999GiB", "1e3B"} {
		if n, complaint := parseSize(lua.LString(text)); complaint == "" {
			t.Errorf("%q is %d", text, n)
		}
	}
	for text, want := range map[string]Rate{"60/m": {60, 60, time.Minute}, "5/s burst 10": {5, 10, time.Second}, "1/h": {1, 1, time.Hour}, "9/d": {9, 9, 24 * time.Hour}} {
		if r, err := ParseRate(text); r != want || err != nil {
			t.Errorf("%s is %v, %v", text, r, err)
		}
	}
	for _, text := range []string{"", "60", "60/", "/m", "60/week", "0/m", "-1/m", "+1/m", "5/s burst", "5/s burst 0", "5/s 10", "5/s burst 10 x", "1.5/s"} {
		if r, err := ParseRate(text); err == nil {
			t.Errorf("%q is %v", text, r)
		}
	}
}

func TestModulesAreThere(t *testing.T) {
	names := []string{"tool", "param", "json", "text", "log", "result", "image", "audio", "link", "resource", "array", "print"}
	if i := slices.IndexFunc(names, func(n string) bool { return !env.Has(n) }); i >= 0 {
		t.Errorf("no global %s", names[i])
	}
}
