package scripts

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/luatools/luatools/protocol/mcp"
)

// write makes the files of a txtar archive below dir.
func write(t testing.TB, dir, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// openArchive opens a library on a folder "tools" with the files of a txtar archive, and returns the folder too.
func openArchive(t testing.TB, archive string, o Options) (*Library, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tools")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, dir, archive)
	o.NoReuse = o.NoReuse || freshOnly
	l, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l, dir
}

// freshOnly makes openArchive open libraries that use no state twice.
var freshOnly bool

// bothWays runs a test with states that may serve again and with a new state for every call.
func bothWays(t *testing.T, test func(t *testing.T)) {
	defer func(was bool) { freshOnly = was }(freshOnly)
	for _, freshOnly = range []bool{false, true} {
		t.Run(map[bool]string{false: "reused", true: "fresh"}[freshOnly], test)
	}
}

// openGood is openArchive for an archive without faults.
func openGood(t testing.TB, archive string) *Library {
	t.Helper()
	l, _ := openArchive(t, archive, Options{})
	for _, p := range l.Snapshot().Problems {
		if !p.Warning {
			t.Fatalf("problem: %v\n%s", p, p.Frame)
		}
	}
	return l
}

func reload(t testing.TB, l *Library) *Snapshot {
	t.Helper()
	s, err := l.Reload(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// names lists what a snapshot offers, as server/tool.
func names(s *Snapshot) []string {
	list := []string{}
	for _, server := range s.Servers {
		for _, tool := range server.Tools {
			list = append(list, server.Name+"/"+tool.Name)
		}
	}
	return list
}

// faults lists the problems that are no warnings, as Error writes them.
func faults(s *Snapshot) []string {
	list := []string{}
	for _, p := range s.Problems {
		if !p.Warning {
			list = append(list, p.Error())
		}
	}
	return list
}

func find(t testing.TB, s *Snapshot, name string) *Tool {
	t.Helper()
	for _, server := range s.Servers {
		for _, tool := range server.Tools {
			if server.Name+"/"+tool.Name == name {
				return tool
			}
		}
	}
	t.Fatalf("no tool %s among %v; problems %v", name, names(s), faults(s))
	return nil
}

// callText calls a tool and returns its text.
func callText(t testing.TB, tool *Tool, args string) string {
	t.Helper()
	res, err := tool.Call(context.Background(), json.RawMessage(args))
	if err != nil {
		t.Fatalf("%s %s: %v", tool.Name, args, err)
	}
	return text(res)
}

func text(res *mcp.CallToolResult) string {
	var parts []string
	for _, c := range res.Content {
		parts = append(parts, c.Text)
	}
	return strings.Join(parts, "\n")
}

func equal(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s\n got %q\nwant %q", what, got, want)
	}
}

const greetFile = `
-- greet.lua --
return tool{
  description = "Greet someone by their name.",
  input = { name = param.string("Who to greet") },
  run = function(args) return "Hello, " .. args.name .. "!" end,
}
`
