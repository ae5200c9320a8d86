package host

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/luatools/luatools"

// arrows says which chapter may import which. An arrow includes everything below its head, and a chapter's own sub-packages; a folder
// belongs to the longest chapter that begins its path. protocol/control and protocol/mcp do not know each other.
var arrows = map[string][]string{
	"":                           {"host/cli"},
	"host/cli":                   {"host"},
	"host":                       {"scripts", "protocol/control", "protocol/mcp", "protocol/schema"},
	"scripts":                    {"luabind", "protocol/mcp", "protocol/schema"},
	"luabind":                    {"protocol/mcp", "protocol/schema"},
	"protocol/control":           {"protocol"},
	"protocol/control/rehearsal": {"protocol/control", "protocol/schema"}, // it reads prompts that spell out calls
	"protocol/mcp":               {"protocol"},
	"protocol/schema":            {"protocol"},
	"protocol":                   nil,
}

// fences says where a library may be imported: in a folder and below, or in one file.
var fences = map[string][]string{
	"github.com/yuin/gopher-lua":               {"scripts", "luabind"},
	"layeh.com/gopher-luar":                    {"luabind/wrap.go"},
	"github.com/fsnotify/fsnotify":             {"scripts/watch.go"},
	"github.com/spf13/pflag":                   {"host/cli"},
	"github.com/santhosh-tekuri/jsonschema/v6": {"protocol/schema"},
	"github.com/google/jsonschema-go":          {"host/gotool.go"},
	"github.com/modelcontextprotocol/go-sdk":   {"protocol/mcp/interop"},
}

func within(p, root string) bool { return p == root || root == "" || strings.HasPrefix(p, root+"/") }

func chapter(dir string) string {
	best := ""
	for c := range arrows {
		if c != "" && within(dir, c) && len(c) > len(best) {
			best = c
		}
	}
	return best
}

// reachable is the chapters below c.
func reachable(c string) map[string]bool {
	out := map[string]bool{}
	var walk func(string)
	walk = func(c string) {
		for _, next := range arrows[c] {
			if !out[next] {
				out[next] = true
				walk(next)
			}
		}
	}
	walk(c)
	return out
}

// offence says what is wrong with an import by a file (both from the module's root), or "".
func offence(file, imported string) string {
	for lib, where := range fences {
		if !within(imported, lib) {
			continue
		}
		if !slices.ContainsFunc(where, func(w string) bool { return within(file, w) }) {
			return "only for " + strings.Join(where, ", ")
		}
	}
	if !within(imported, module) {
		return ""
	}
	from, to := chapter(path.Dir(file)), strings.TrimPrefix(strings.TrimPrefix(imported, module), "/")
	if from == "" && path.Dir(file) != "." {
		return "the folder is no part of the layout"
	}
	target := chapter(to)
	if target == from && from != "" {
		return ""
	}
	if from == "protocol/control" && within(target, from) && strings.HasSuffix(file, "_test.go") {
		return "" // its tests talk with the rehearsal agent
	}
	below := slices.Sorted(maps.Keys(reachable(from)))
	if reachable(from)[target] || slices.ContainsFunc(below, func(c string) bool { return c != "protocol" && c != "host" && within(to, c) }) {
		return ""
	}
	return "no arrow from " + strconv.Quote(from) + " to " + strconv.Quote(target)
}

func TestImportsGoOneWay(t *testing.T) {
	root := ".."
	files := 0
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			_, own := os.Stat(filepath.Join(p, "go.mod"))
			if rel != "." && (own == nil || strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
				return fs.SkipDir // another module, or no Go of ours
			}
			return nil
		}
		if !strings.HasSuffix(p, ".go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		for _, i := range f.Imports {
			imported, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if why := offence(rel, imported); why != "" {
				t.Errorf("%s imports %s: %s", rel, imported, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 20 {
		t.Errorf("looked at %d files only", files)
	}
}

func TestImportOffences(t *testing.T) {
	for _, tt := range []struct {
		name, file, imports string
		bad                 bool
	}{
		{"main starts the commands", "main.go", module + "/host/cli", false},
		{"main may use what is below the commands", "main.go", module + "/protocol", false},
		{"the commands use the rehearsal agent", "host/cli/run.go", module + "/protocol/control/rehearsal", false},
		{"the host does not know its commands", "host/host.go", module + "/host/cli", true},
		{"the host uses the sandbox's faults", "host/gate.go", module + "/luabind/sandbox", false},
		{"scripts does not know the host", "scripts/tool_test.go", module + "/host", true},
		{"scripts does not know the CLI channel", "scripts/tool.go", module + "/protocol/control", true},
		{"luabind does not know scripts", "luabind/result.go", module + "/scripts", true},
		{"luabind uses the types of MCP", "luabind/result.go", module + "/protocol/mcp", false},
		{"luabind's packages use each other", "luabind/result.go", module + "/luabind/luajson", false},
		{"the CLI channel does not know MCP", "protocol/control/conn.go", module + "/protocol/mcp", true},
		{"MCP does not know the CLI channel", "protocol/mcp/server_test.go", module + "/protocol/control", true},
		{"the rehearsal agent does not know MCP's server either", "protocol/control/rehearsal/agent.go", module + "/protocol/mcp", true},
		{"the rehearsal agent reads calls", "protocol/control/rehearsal/agent.go", module + "/protocol/schema", false},
		{"the CLI channel's tests talk with the agent", "protocol/control/trace_test.go", module + "/protocol/control/rehearsal", false},
		{"the CLI channel itself does not", "protocol/control/conn.go", module + "/protocol/control/rehearsal", true},
		{"the CLI channel reads no calls", "protocol/control/conn.go", module + "/protocol/schema", true},
		{"suggestions are for all", "protocol/mcp/server.go", module + "/protocol/nearest", false},
		{"protocol is the ground", "protocol/reader.go", module + "/protocol/schema", true},
		{"Lua only below", "host/host.go", "github.com/yuin/gopher-lua", true},
		{"Lua's parser too", "host/cli/check.go", "github.com/yuin/gopher-lua/parse", true},
		{"Lua in scripts", "scripts/lean.go", "github.com/yuin/gopher-lua/ast", false},
		{"gopher-luar in one file", "luabind/result.go", "layeh.com/gopher-luar", true},
		{"gopher-luar in that file", "luabind/wrap.go", "layeh.com/gopher-luar", false},
		{"fsnotify in one file", "scripts/library.go", "github.com/fsnotify/fsnotify", true},
		{"flags only in the commands", "host/options.go", "github.com/spf13/pflag", true},
		{"no folder beside the layout", "internal/x/x.go", module + "/protocol", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if why := offence(tt.file, tt.imports); (why != "") != tt.bad {
				t.Errorf("offence(%s, %s) = %q", tt.file, tt.imports, why)
			}
		})
	}
}

func TestTopLevelHoldsNothingElse(t *testing.T) {
	allowed := strings.Fields(`go.mod go.sum main.go Makefile README.md CHANGELOG.md BENCHMARKS.md LICENSE
		host luabind scripts protocol examples`)
	text, err := os.ReadFile("../.gitignore")
	if err != nil {
		t.Fatal(err)
	}
	var ignored []string // what a build leaves behind
	for line := range strings.Lines(string(text)) {
		ignored = append(ignored, strings.Trim(strings.TrimSpace(line), "/"))
	}
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := e.Name()
		match := func(pattern string) bool { ok, _ := path.Match(pattern, name); return ok }
		if !strings.HasPrefix(name, ".") && !slices.Contains(allowed, name) && !slices.ContainsFunc(ignored, match) {
			t.Errorf("%s lies at the top level, which is fixed", name)
		}
	}
}
