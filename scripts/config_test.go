package scripts

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func loadConfig(t testing.TB, text string) (*Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "luatools.lua")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c, err := LoadConfig(path)
	if c != nil && c.File != path {
		t.Errorf("File = %q", c.File)
	}
	return c, err
}

func TestLoadConfig(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       Config
	}{
		{"an empty table sets nothing", "return {}", Config{}},
		{"everything", `return {
  timeout = "30s",
  policy = {
    allow{ "weather/*", "db/query" },
    deny "ops/deploy",
    ask{
      "Bash",
      "db/*",
    },
  },
  limits = { wall = "15m", steps = 2e9, bytes = "64 MiB", string = 1024 },
}`, Config{Timeout: 30 * time.Second, Rules: []ConfigRule{{"allow", "weather/*", 4}, {"allow", "db/query", 4}, {"deny", "ops/deploy", 5}, {"ask", "Bash", 7}, {"ask", "db/*", 8}},
			Limits: Limits{Wall: 15 * time.Minute, Steps: 2_000_000_000, Bytes: 64 << 20, String: 1024}}},
		{"plain lists", "return { policy = {\n  deny = { 'b' },\n  allow = { 'a',\n    'c' } } }",
			Config{Rules: []ConfigRule{{"allow", "a", 3}, {"allow", "c", 4}, {"deny", "b", 2}}}},
		{"a configuration may compute", "local names = {}\nfor _, n in ipairs{ 'a', 'b' } do names[#names + 1] = n .. '/*' end\nreturn { timeout = 1.5,\n policy = { allow(names) } }",
			Config{Timeout: 1500 * time.Millisecond, Rules: []ConfigRule{{"allow", "a/*", 4}, {"allow", "b/*", 4}}}},
		{"a table that is not written in the return", "local c = {}\nc.timeout = '2s'\nc.policy = { ask = 'x' }\nreturn c",
			Config{Timeout: 2 * time.Second, Rules: []ConfigRule{{"ask", "x", 0}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := loadConfig(t, tt.text)
			if err != nil {
				t.Fatal(err)
			}
			tt.want.File = c.File
			if !reflect.DeepEqual(*c, tt.want) {
				t.Errorf("got  %+v\nwant %+v", *c, tt.want)
			}
		})
	}
}

func TestConfigFaults(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{ // the end of a line of Error
		{"an unknown key gets a suggestion", "return {\n  timout = '30s',\n}\n", "luatools.lua:2:3: field 'timout': unknown, did you mean 'timeout'?"},
		{"so does one of the policy", "return {\n  policy = {\n    alow = { 'a' } } }\n", "luatools.lua:3:5: field 'alow': unknown, did you mean 'allow'?"},
		{"and one of the limits", "return { limits = { wal = 1 } }\n", "luatools.lua:1:21: field 'wal': unknown, did you mean 'wall'?"},
		{"a limit that is near no other", "return { limits = { frobnicate = 1 } }\n", "luatools.lua:1:21: field 'frobnicate': unknown, there are wall, steps, bytes, string, heap, result, source, calls, queue, coroutines, depth"},
		{"rules outside the policy", "return { allow{ 'a' } }\n", "field '1': rules belong into policy = { … }"},
		{"a time that is none", "return { timeout = 'soon' }\n", `luatools.lua:1:10: field 'timeout': want a time such as "500ms", "10s" or "1h30m", or seconds, got soon`},
		{"a policy that is no table", "return { policy = 'allow' }\n", `luatools.lua:1:10: field 'policy': want a table such as { allow{ "weather/*" } }, got "allow"`},
		{"a list of something else", "return { policy = { allow = { 'a', 1 } } }\n", `luatools.lua:1:21: field 'allow': want a list of tools, such as { "weather/*", "db/query" }, got a number under 2`},
		{"a constructor with something else", "return {\n  policy = { allow(1) } }\n", `luatools.lua:2: allow: want a list of tools, such as { "weather/*", "db/query" }, got a number`},
		{"a size that is none", "return { limits = { bytes = '64 MB' } }\n", `luatools.lua:1:21: field 'bytes': want a size such as "64 MiB", or bytes, got "64 MB"`},
		{"a size that is too large", "return { limits = { string = '9 GiB' } }\n", `field 'string': "9 GiB" is too much, it may be 1 GiB at most`},
		{"a size beyond reason", "return { limits = { heap = '9000 GiB' } }\n", `got "9000 GiB"`},
		{"sources beyond what is proven", "return { limits = { source = '1 MiB' } }\n", `"1 MiB" is too much, it may be 256 KiB at most: the compiler is proven with no more`},
		{"a number of steps that is none", "return { limits = { steps = 0.5 } }\n", `luatools.lua:1:21: field 'steps': want a whole number above 0, got 0.5`},
		{"the first fault is the one that is told", "return {\n  policy = { x = 1 },\n  timout = 1 }\n", "luatools.lua:2:14: field 'x'"},
		{"no table", "local x = 1\n", "luatools.lua:1: the file returns no table: return { timeout =, policy =, limits = }"},
		{"a syntax error", "return {\n", "luatools.lua:"},
		{"a module of tool files", "return { timeout = json.decode('1') }\n", "luatools.lua:1:20: 'json' is not declared"},
		{"the world is out of reach", "return { timeout = io.read() }\n", "luatools.lua:1:20: 'io' of standard Lua is not there"},
		{"the clock too", "return { timeout = os.time() }\n", "luatools.lua:1"},
		{"require", "local x = 1\nlocal y = require 'lib.x'\nreturn {}\n", "luatools.lua:2:11: a configuration stands alone: it cannot require"},
		{"a loop without end", "while true do end\n", "luatools.lua:1"},
		{"a file that is too long", "--" + strings.Repeat("x", maxSource), "the file is longer than 256 KiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := loadConfig(t, tt.text)
			e, ok := errors.AsType[*Error](err)
			if !ok || !strings.Contains(e.Error(), tt.want) {
				t.Fatalf("error\n got %v\nwant %s", err, tt.want)
			}
			if e.Line > 0 && e.Frame == "" {
				t.Error("no frame")
			}
		})
	}
	t.Run("a file that is not there", func(t *testing.T) {
		if _, err := LoadConfig(filepath.Join(t.TempDir(), "luatools.lua")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("err = %v", err)
		}
	})
}

// FuzzConfig checks that whatever stands in a configuration is an answer or an error with the file's name.
func FuzzConfig(f *testing.F) {
	f.Add("return { timeout = '30s', policy = { allow{ 'a' }, deny = { 'b' } }, limits = { wall = 1 } }")
	f.Add("return { policy = { allow{ 1 } } }")
	f.Add("return setmetatable({}, { __index = error })")
	path := filepath.Join(f.TempDir(), "luatools.lua")
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		c, err := LoadConfig(path)
		if e, ok := errors.AsType[*Error](err); (c == nil) == (err == nil) || err != nil && (!ok || e.File != path) {
			t.Errorf("%v, %v", c, err)
		}
	})
}

// Only a regular file is read: a FIFO that nobody writes to would hold the program for ever.
func TestAConfigurationIsARegularFile(t *testing.T) {
	if _, err := LoadConfig(t.TempDir()); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := LoadConfig(os.DevNull); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a device: %v", err)
	}
}
