package scripts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// saying is a tool file that answers text.
func saying(text string) string {
	return fmt.Sprintf("return tool{ description = \"Says one thing to everybody.\", run = function() return %q end }\n", text)
}

func TestReload(t *testing.T) { bothWays(t, testReload) }

func testReload(t *testing.T) {
	l, dir := openArchive(t, "-- a.lua --\n"+saying("one")+"-- b.lua --\n"+saying("b"), Options{})
	before := l.Snapshot()
	b := find(t, before, "tools/b")

	t.Run("nothing changed, so the snapshot stays", func(t *testing.T) {
		if s := reload(t, l); s != before {
			t.Errorf("revision %d became %d", before.Revision, s.Revision)
		}
	})
	t.Run("an edit serves at once, and what did not change is not loaded again", func(t *testing.T) {
		write(t, dir, "-- a.lua --\n"+saying("two"))
		s := reload(t, l)
		if got := callText(t, find(t, s, "tools/a"), "{}"); got != "two" {
			t.Errorf("a = %q", got)
		}
		if find(t, s, "tools/b") != b {
			t.Error("b was loaded again")
		}
		if s.Revision != before.Revision+1 || l.Snapshot() != s {
			t.Errorf("revision %d after %d", s.Revision, before.Revision)
		}
	})
	t.Run("the old snapshot still answers as it did", func(t *testing.T) {
		if got := callText(t, find(t, before, "tools/a"), "{}"); got != "one" {
			t.Errorf("a = %q", got)
		}
	})
	t.Run("a file that breaks keeps its last good tools and lists its fault", func(t *testing.T) {
		write(t, dir, "-- a.lua --\nreturn tool{\n")
		s := reload(t, l)
		if got := callText(t, find(t, s, "tools/a"), "{}"); got != "two" {
			t.Errorf("a = %q", got)
		}
		if bad := faults(s); len(bad) != 1 || !strings.HasPrefix(bad[0], "tools/a.lua:") {
			t.Errorf("faults %q", bad)
		}
		if again := reload(t, l); again != s {
			t.Error("the same fault made a new snapshot")
		}
	})
	t.Run("mending it clears the fault", func(t *testing.T) {
		write(t, dir, "-- a.lua --\n"+saying("three"))
		s := reload(t, l)
		equal(t, "faults", faults(s), nil)
		if got := callText(t, find(t, s, "tools/a"), "{}"); got != "three" {
			t.Errorf("a = %q", got)
		}
	})
	t.Run("deleting a file removes its tools", func(t *testing.T) {
		if err := os.Remove(filepath.Join(dir, "a.lua")); err != nil {
			t.Fatal(err)
		}
		equal(t, "tools", names(reload(t, l)), []string{"tools/b"})
	})
	t.Run("when the folder is gone, the snapshot stays and the error says so", func(t *testing.T) {
		if err := os.Rename(dir, dir+".moved"); err != nil {
			t.Fatal(err)
		}
		s, err := l.Reload(context.Background())
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("err = %v", err)
		}
		equal(t, "tools", names(s), []string{"tools/b"})
		if err := os.Rename(dir+".moved", dir); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("a cancelled reload changes nothing", func(t *testing.T) {
		write(t, dir, "-- c.lua --\n"+saying("c"))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := l.Reload(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
		equal(t, "tools", names(l.Snapshot()), []string{"tools/b"})
		equal(t, "tools", names(reload(t, l)), []string{"tools/b", "tools/c"})
	})
}

func TestReloadAndNames(t *testing.T) {
	t.Run("a new file cannot take a name that serves", func(t *testing.T) {
		l, dir := openArchive(t, "-- s/z.lua --\n"+strings.Replace(saying("z"), "tool{", "tool{ name = 'x',", 1), Options{})
		write(t, dir, "-- s/a.lua --\n"+strings.Replace(saying("a"), "tool{", "tool{ name = 'x',", 1))
		s := reload(t, l)
		if got := callText(t, find(t, s, "s/x"), "{}"); got != "z" {
			t.Errorf("x = %q, want z's", got)
		}
		equal(t, "faults", faults(s), []string{`tools/s/a.lua:1:8: tool "x" of server "s" is already at tools/s/z.lua:1`})
		if err := os.Remove(filepath.Join(dir, "s/z.lua")); err != nil {
			t.Fatal(err)
		}
		s = reload(t, l)
		if got := callText(t, find(t, s, "s/x"), "{}"); got != "a" {
			t.Errorf("x = %q, want a's", got)
		}
		equal(t, "faults", faults(s), nil)
	})
	t.Run("two files may exchange their names in one reload", func(t *testing.T) {
		named := func(name, text string) string {
			return strings.Replace(saying(text), "tool{", "tool{ name = '"+name+"',", 1)
		}
		l, dir := openArchive(t, "-- a.lua --\n"+named("x", "a")+"-- b.lua --\n"+named("y", "b"), Options{})
		write(t, dir, "-- a.lua --\n"+named("y", "a")+"-- b.lua --\n"+named("x", "b"))
		s := reload(t, l)
		equal(t, "faults", faults(s), nil)
		if got := callText(t, find(t, s, "tools/x"), "{}"); got != "b" {
			t.Errorf("x = %q", got)
		}
	})
}

func TestModules(t *testing.T) { bothWays(t, testModules) }

func testModules(t *testing.T) {
	const archive = `
-- lib/words.lua --
local M = {}
M.greeting = require("lib.deep.base").word
return M
-- lib/deep/base.lua --
return { word = "Hello" }
-- lib/other.lua --
return { x = 1 }
-- user.lua --
local words = require "lib.words"
return tool{ description = "Greets with a word of a module.", run = function() return words.greeting end }
-- late.lua --
return tool{ description = "Loads its module in the call.", run = function() return require("lib.other").x end }
-- none.lua --
return tool{ description = "Uses no module whatsoever.", run = function() return "none" end }
-- dynamic.lua --
return tool{ description = "Loads the module that it is told.", input = { name = "string" }, run = function(args) return require("lib." .. args.name).x end }
`
	l, dir := openArchive(t, archive, Options{})
	first := l.Snapshot()
	equal(t, "faults", faults(first), nil)
	if got := callText(t, find(t, first, "tools/user"), "{}"); got != "Hello" {
		t.Errorf("user = %q", got)
	}
	write(t, dir, "-- lib/deep/base.lua --\nreturn { word = 'Moin' }\n")
	s := reload(t, l)
	if got := callText(t, find(t, s, "tools/user"), "{}"); got != "Moin" {
		t.Errorf("user = %q after its module's module changed", got)
	}
	for _, tt := range []struct {
		name string
		same bool
	}{{"user", false}, {"late", true}, {"none", true}, {"dynamic", false}} {
		if got := find(t, s, "tools/"+tt.name) == find(t, first, "tools/"+tt.name); got != tt.same {
			t.Errorf("%s kept = %v, want %v", tt.name, got, tt.same)
		}
	}
	t.Run("a module that breaks keeps its last good code", func(t *testing.T) {
		write(t, dir, "-- lib/deep/base.lua --\nreturn {\n")
		s := reload(t, l)
		if got := callText(t, find(t, s, "tools/user"), "{}"); got != "Moin" {
			t.Errorf("user = %q", got)
		}
		if bad := faults(s); len(bad) != 1 || !strings.HasPrefix(bad[0], "tools/lib/deep/base.lua:") {
			t.Errorf("faults %q", bad)
		}
	})
	t.Run("a name made in the call gets an error with the near one", func(t *testing.T) {
		res, err := find(t, l.Snapshot(), "tools/dynamic").Call(t.Context(), []byte(`{"name":"othr"}`))
		if err == nil || !res.IsError || !strings.Contains(text(res), `did you mean "lib.other"?`) {
			t.Errorf("%v %v", text(res), err)
		}
		res, err = find(t, l.Snapshot(), "tools/dynamic").Call(t.Context(), []byte(`{"name":"../../etc/passwd"}`))
		if err == nil || !res.IsError || !strings.Contains(text(res), "there is no lib/") {
			t.Errorf("%v %v", text(res), err)
		}
	})
	t.Run("a module that vanishes fails its users, which keep what they had", func(t *testing.T) {
		if err := os.Remove(filepath.Join(dir, "lib/words.lua")); err != nil {
			t.Fatal(err)
		}
		s := reload(t, l)
		if got := callText(t, find(t, s, "tools/user"), "{}"); got != "Moin" {
			t.Errorf("user = %q", got)
		}
		if bad := strings.Join(faults(s), "\n"); !strings.Contains(bad, `tools/user.lua:1:15: no module "lib.words"`) {
			t.Errorf("faults %q", bad)
		}
	})
}

func TestUnreadableFilesAreProblems(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root can read everything")
	}
	l, dir := openArchive(t, "-- a.lua --\n"+saying("a")+"-- s/b.lua --\n"+saying("b"), Options{})
	for _, path := range []string{"a.lua", "s"} {
		if err := os.Chmod(filepath.Join(dir, path), 0); err != nil {
			t.Fatal(err)
		}
	}
	s := reload(t, l)
	equal(t, "tools", names(s), []string{"s/b", "tools/a"})
	equal(t, "faults", faults(s), []string{"tools/a.lua: the file cannot be read: permission denied", "tools/s: the folder cannot be read: permission denied"})
	os.Chmod(filepath.Join(dir, "s"), 0o755)
}

// Callers use whatever snapshot there is while files change under them; nobody sees a fault, and nothing is left.
func TestReloadUnderCallers(t *testing.T) { bothWays(t, testReloadUnderCallers) }

func testReloadUnderCallers(t *testing.T) {
	const callers, reloads = 32, 100
	states, goroutines := live.Load(), runtime.NumGoroutine()
	const kept = `
-- kept.lua --
local n = 0
return tool{ description = "Counts its calls for as long as it lives.", keep = true, run = function() n = n + 1 return "%d" .. n end }
`
	l, dir := openArchive(t, "-- a.lua --\n"+saying("0")+fmt.Sprintf(kept, 0), Options{})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			for ctx.Err() == nil {
				name := "tools/a"
				if i%4 == 0 {
					name = "tools/kept"
				}
				res, err := find(t, l.Snapshot(), name).Call(context.Background(), []byte("{}"))
				if err != nil || res.IsError {
					t.Errorf("%s: %v", name, err)
					return
				}
				runtime.Gosched()
			}
		})
	}
	for i := range reloads {
		write(t, dir, "-- a.lua --\n"+saying(fmt.Sprint(i+1)))
		if i%10 == 0 {
			write(t, dir, fmt.Sprintf(kept, i))
		}
		if got := callText(t, find(t, reload(t, l), "tools/a"), "{}"); got != fmt.Sprint(i+1) {
			t.Errorf("reload %d serves %q", i, got)
		}
	}
	cancel()
	wg.Wait()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if n := live.Load(); n != states {
		t.Errorf("%d states before, %d after", states, n)
	}
	for range 100_000 { // goroutines that have returned may be counted for a moment
		if runtime.NumGoroutine() <= goroutines {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("%d goroutines before, %d after", goroutines, runtime.NumGoroutine())
}

func TestClose(t *testing.T) {
	l, _ := openArchive(t, greetFile, Options{})
	tool := find(t, l.Snapshot(), "tools/greet")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
	res, err := tool.Call(t.Context(), []byte(`{"name":"Ada"}`))
	if err == nil || !res.IsError {
		t.Errorf("a call after Close: %v, %v", res, err)
	}
	if _, err := tool.ConfirmText(t.Context(), []byte(`{"name":"Ada"}`)); err != nil {
		t.Errorf("a tool without a confirm function needs no state: %v", err)
	}
}
