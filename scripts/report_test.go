package scripts

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/luatools/luatools/luabind"
)

// rescan is Rescan, with the lines of the report.
func rescan(t testing.TB, l *Library) (*Reload, []string) {
	t.Helper()
	r, err := l.Rescan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range r.Changes {
		lines = append(lines, unstable.ReplaceAllString(c.String(), "…"))
	}
	return r, lines
}

// withInput is a tool file with a field that clients are shown.
func withInput(fields string) string {
	return "return tool{ description = 'Finds what is looked for.', " + fields + " run = function() return 1 end }\n"
}

func TestReport(t *testing.T) {
	const helper = "-- lib/helper.lua --\nreturn { n = 1 }\n"
	const user = "-- user.lua --\nlocal h = require 'lib.helper'\nreturn tool{ description = 'Uses the helper module.', run = function() return h.n end }\n"
	for _, tt := range []struct {
		name          string
		before, after string // archives; a file that after holds empty is removed
		want          []string
	}{
		{"nothing", "-- a.lua --\n" + saying("a"), "", nil},
		{"a new file", "-- a.lua --\n" + saying("a"), "-- b.lua --\n" + saying("b"), []string{"✓ tools/b  new tool"}},
		{"behaviour", "-- a.lua --\n" + saying("a"), "-- a.lua --\n" + saying("b"), []string{"✓ tools/a  reloaded in … (behaviour only)"}},
		{"a comment counts as behaviour", "-- a.lua --\n" + saying("a"), "-- a.lua --\n-- hello\n" + saying("a"), []string{"✓ tools/a  reloaded in … (behaviour only)"}},
		{"a name in the file", "-- a.lua --\n" + saying("a"), "-- a.lua --\n" + withInput("name = 'z',"), []string{"✓ tools/a  removed", "✓ tools/z  new tool"}},
		{"parameters that come", "-- a.lua --\n" + withInput("input = { q = 'string' },"),
			"-- a.lua --\n" + withInput("input = { q = 'string', limit = param.integer('How many', { default = 100 }), tag = 'string[]', deep = 'boolean?', unit = { 'c', 'f' } },"),
			[]string{"✓ tools/a  schema changed: +limit (integer, default 100), +tag (array), +deep (boolean, optional), +unit (c|f)"}},
		{"parameters that go and change", "-- a.lua --\n" + withInput("input = { a = 'string', b = 'string', c = 'string', d = param.string('One'), e = param.string('x', { max = 5 }), f = 'string' },"),
			"-- a.lua --\n" + withInput("input = { a = 'integer', c = 'string?', d = param.string('Two'), e = param.string('x', { max = 6 }), f = 'string' },"),
			[]string{"✓ tools/a  schema changed: ~a (string → integer), ~c (string → string, optional), ~d (description), ~e (constraints), -b"}},
		{"a schema that differs elsewhere", "-- a.lua --\n" + withInput(`input = param.json [[{"type":"object","properties":{"a":{"type":"string"}},"minProperties":1}]],`),
			"-- a.lua --\n" + withInput(`input = param.json [[{"type":"object","properties":{"a":{"type":"string"}},"minProperties":2}]],`),
			[]string{"✓ tools/a  schema changed elsewhere than in its parameters"}},
		{"texts and flags", "-- a.lua --\n" + saying("a"), "-- a.lua --\nreturn tool{ title = 'T', description = 'Says another thing to all.', read_only = true, output = { a = 'number' }, run = function() return { a = 1 } end }\n",
			[]string{"✓ tools/a  output changed: +a (number); description changed; title changed; annotations changed"}},
		{"a syntax error", "-- a.lua --\n" + saying("a"), "-- a.lua --\nreturn tool{\n  description = ,\n}\n",
			[]string{"✗ tools/a  syntax error near ',', still serving the version from …"}},
		{"a new file with an error", "-- a.lua --\n" + saying("a"), "-- b.lua --\nreturn\n", []string{"✗ tools/b.lua  the file returns no tool: end it with return tool{ … }"}},
		{"another error in a broken file", "-- a.lua --\nreturn tool{\n", "-- a.lua --\nreturn tool{ description = , }\n", []string{"✗ tools/a.lua  syntax error near ','"}},
		{"mended", "-- a.lua --\nreturn tool{\n", "-- a.lua --\n" + saying("a"), []string{"✓ tools/a  mended, reloaded in …", "✓ tools/a  new tool"}},
		{"a broken file is deleted", "-- a.lua --\nreturn tool{\n-- b.lua --\n" + saying("b"), "-- a.lua --\n", nil},
		{"a name that is taken", "-- s/a.lua --\n" + withInput("name = 'x',"), "-- s/b.lua --\n" + withInput("name = 'x',"), []string{`✗ tools/s/b.lua  tool "x" of server "s" is already at tools/s/a.lua:1`}},
		{"a module", helper + user + "-- a.lua --\n" + saying("a"), strings.Replace(helper, "1", "2", 1), []string{"✓ tools/user  reloaded in … (tools/lib/helper.lua changed)"}},
		{"a module that breaks", helper + user, "-- lib/helper.lua --\nreturn {\n", []string{"✗ tools/lib/helper.lua  '}' expected (to close '{' at line 1) near <eof>, still using the version from …"}},
		{"a module that vanishes", helper + user, "-- lib/helper.lua --\n", []string{`✗ tools/user  no module "lib.helper": there is no lib/helper.lua, still serving the version from …`}},
		{"disabled", "-- a.lua --\n" + saying("a"), "-- a.lua --\n" + strings.Replace(saying("a"), "tool{", "tool{ enabled = function() return false, 'no database' end,", 1),
			[]string{"✓ tools/a  not enabled any more: no database"}},
		{"a new one that is not enabled", "", "-- a.lua --\n" + strings.Replace(saying("a"), "tool{", "tool{ enabled = false,", 1),
			[]string{"✓ tools/a  new tool, not enabled: enabled = false"}},
		{"enabled", "-- a.lua --\n" + strings.Replace(saying("a"), "tool{", "tool{ enabled = false,", 1), "-- a.lua --\n" + saying("a"), []string{"✓ tools/a  enabled"}},
		{"server.lua breaks", "-- s/a.lua --\n" + saying("a") + "-- s/server.lua --\nreturn { title = 'S' }\n", "-- s/server.lua --\nreturn { titel = 'S' }\n",
			[]string{"✗ tools/s/server.lua  field 'titel' of server.lua: unknown, did you mean 'title'?, still using the version from …"}},
		{"server.lua goes", "-- s/a.lua --\n" + saying("a") + "-- s/server.lua --\nreturn { title = 'S' }\n", "-- s/server.lua --\n", []string{"✓ tools/s/server.lua  removed"}},
		{"one file, several tools", "-- s/a.lua --\nreturn { tool('a', 'Does one thing, and well.', {}, function() end), tool('b', 'Does one thing, and well.', {}, function() end) }\n",
			"-- s/a.lua --\nreturn { tool('a', 'Does one thing, and well.', {}, function() end), tool('c', 'Does one thing, and well.', {}, function() end) }\n",
			[]string{"✓ s/a  reloaded in … (behaviour only)", "✓ s/b  removed", "✓ s/c  new tool"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, dir := openArchive(t, tt.before, Options{})
			change(t, dir, tt.after)
			before := l.Snapshot()
			r, lines := rescan(t, l)
			equal(t, "reported", lines, tt.want)
			if r.Before != before || r.After != l.Snapshot() {
				t.Error("the report has other snapshots")
			}
			for _, c := range r.Changes {
				if (c.Kind == Failed) != (c.Problem != nil) || c.File == "" || c.Kind == Failed && c.Problem.Line > 0 && c.Problem.Frame == "" {
					t.Errorf("%+v", c)
				}
			}
			if _, again := rescan(t, l); again != nil {
				t.Errorf("the second look reports %q", again)
			}
		})
	}
}

// change writes an archive, and removes the files that it holds empty.
func change(t testing.TB, dir, archive string) {
	t.Helper()
	write(t, dir, archive)
	for line := range strings.Lines(archive) {
		name, ok := strings.CutPrefix(strings.TrimSpace(line), "-- ")
		if !ok {
			continue
		}
		path := filepath.Join(dir, strings.TrimSuffix(name, " --"))
		if info, err := os.Stat(path); err == nil && info.Size() == 0 {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A file that fails, and fails again, and is mended to what it was: the version that serves is the first one throughout.
func TestABrokenFileComesBack(t *testing.T) {
	l, dir := openArchive(t, "-- a.lua --\n"+saying("a"), Options{})
	loaded := find(t, l.Snapshot(), "tools/a").file.loaded
	write(t, dir, "-- a.lua --\nreturn {")
	r, _ := rescan(t, l)
	if want := "still serving the version from " + loaded.Format("15:04"); !strings.Contains(r.Changes[0].Text, want) {
		t.Errorf("%q does not say %q", r.Changes[0].Text, want)
	}
	write(t, dir, "-- a.lua --\n"+saying("a"))
	_, lines := rescan(t, l)
	equal(t, "reported", lines, []string{"✓ tools/a  mended, reloaded in …"})
}

func rightsOf(fields string) string {
	return "-- a.lua --\nreturn tool{ description = 'Does something with rights.', permissions = { " + fields + " }, run = function() return [[" + fields + "]] end }\n"
}

func TestRightsThatGrow(t *testing.T) {
	for _, tt := range []struct {
		name          string
		before, after string
		want          string // what it asks for, empty when it need not
	}{
		{"a right of another kind", "net = { 'x.com' }", "net = { 'x.com' }, run = { 'kubectl' }", "permission run = kubectl"},
		{"the first ones", "", "net = { 'x.com' }", "permission net = x.com"},
		{"several", "", "net = { 'x.com', 'y.com' }", "permissions net = x.com, net = y.com"},
		{"another value", "db = { 'orders:read' }", "db = { 'orders:write' }", "permission db = orders:write"},
		{"fewer", "net = { 'x.com', 'y.com' }", "net = { 'y.com' }", ""},
		{"another order", "net = { 'x.com', 'y.com' }", "net = { 'y.com', 'x.com' }", ""},
		{"a host of a domain", "net = { '*.x.com' }", "net = { 'a.x.com' }", ""},
		{"a host of another domain", "net = { '*.x.com' }", "net = { 'a.yx.com' }", "permission net = a.yx.com"},
		{"a domain of a host", "net = { 'a.x.com' }", "net = { '*.x.com' }", "permission net = *.x.com"},
		{"any host", "net = { '*' }", "net = { 'x.com' }", ""},
		{"another method", "net = { { 'GET', 'x.com' } }", "net = { 'x.com' }", "permission net = x.com"},
		{"a program's argument", "run = { 'git' }", "run = { { 'git', args = { 'status' } } }", ""},
		{"a program of an argument", "run = { { 'git', args = { 'status' } } }", "run = { 'git' }", "permission run = git"},
		{"a variable of many", "env = { 'AWS_*' }", "env = { 'AWS_KEY' }", ""},
		{"a tool of a server", "tools = { 'db/*' }", "tools = { 'db/query' }", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, dir := openArchive(t, rightsOf(tt.before), Options{})
			write(t, dir, rightsOf(tt.after))
			r, lines := rescan(t, l)
			answer := callText(t, find(t, l.Snapshot(), "tools/a"), "{}")
			if tt.want == "" {
				equal(t, "reported", lines, []string{"✓ tools/a  reloaded in … (behaviour only)"})
				if answer != strings.TrimSpace(tt.after) && answer != tt.after {
					t.Errorf("it serves %q", answer)
				}
				return
			}
			equal(t, "reported", lines, []string{"! tools/a  asks for new " + tt.want + " → still serving the version from … until it is granted"})
			if answer != tt.before {
				t.Errorf("it serves %q", answer)
			}
			if p := r.Changes[0].Problem; p == nil || !p.Warning || p.Frame == "" || !slices.Contains(r.After.Problems, p) {
				t.Errorf("problem %+v", p)
			}
			if _, again := rescan(t, l); again != nil {
				t.Errorf("the second look reports %q", again)
			}
			write(t, dir, rightsOf(tt.before)+"-- thought better of it\n")
			_, lines = rescan(t, l)
			equal(t, "reported", lines, []string{"✓ tools/a  reloaded in … (behaviour only)"})
		})
	}
	t.Run("a first load is not held, nor one after the file was away", func(t *testing.T) {
		l, dir := openArchive(t, "-- b.lua --\n"+saying("b"), Options{})
		write(t, dir, rightsOf("run = { 'kubectl' }"))
		_, lines := rescan(t, l)
		equal(t, "reported", lines, []string{"✓ tools/a  new tool"})
	})
	t.Run("a tool gets no more by moving to another file, nor by going away and coming back", func(t *testing.T) {
		l, dir := openArchive(t, rightsOf("run = { 'git' }"), Options{})
		more := strings.Replace(rightsOf("run = { 'kubectl' }"), "a.lua", "b.lua", 1)
		more = strings.Replace(more, "tool{", "tool{ name = 'a',", 1)
		if err := os.Remove(filepath.Join(dir, "a.lua")); err != nil {
			t.Fatal(err)
		}
		write(t, dir, more)
		_, lines := rescan(t, l)
		want := "! tools/b.lua  asks for new permission run = kubectl → not served until it is granted, because the tool had less before"
		equal(t, "reported", lines, []string{"✓ tools/a  removed", want})
		if len(l.Snapshot().Servers) > 0 {
			t.Error("it is served")
		}
		if err := os.Remove(filepath.Join(dir, "b.lua")); err != nil {
			t.Fatal(err)
		}
		rescan(t, l)
		write(t, dir, rightsOf("run = { 'kubectl' }"))
		_, lines = rescan(t, l)
		equal(t, "reported", lines, []string{strings.Replace(want, "b.lua", "a.lua", 1)})
		write(t, dir, rightsOf("run = { 'git' }"))
		_, lines = rescan(t, l)
		equal(t, "reported", lines, []string{"✓ tools/a  new tool"})
	})
	t.Run("what it had since the start it may have again", func(t *testing.T) {
		l, dir := openArchive(t, rightsOf("net = { 'x.com' }"), Options{})
		for _, fields := range []string{"", "net = { 'x.com' }"} {
			write(t, dir, rightsOf(fields))
			_, lines := rescan(t, l)
			equal(t, "reported", lines, []string{"✓ tools/a  reloaded in … (behaviour only)"})
		}
	})
	t.Run("what the operator grants serves, at the next look", func(t *testing.T) {
		var asked []string
		granted := false
		l, dir := openArchive(t, rightsOf(""), Options{Granted: func(server, tool string, p *luabind.Permissions) bool {
			asked = append(asked, fmt.Sprint(server, "/", tool, p.Run))
			return granted
		}})
		write(t, dir, rightsOf("run = { 'kubectl' }"))
		rescan(t, l)
		granted = true
		_, lines := rescan(t, l)
		equal(t, "reported", lines, []string{"✓ tools/a  reloaded in … (behaviour only)"})
		equal(t, "asked", asked, []string{"tools/a[kubectl]", "tools/a[kubectl]"})
	})
	t.Run("a new tool in a file may have what the file has", func(t *testing.T) {
		file := func(second string) string {
			return "-- s/a.lua --\nreturn { tool{ name = 'a', description = 'Does something with rights.', permissions = { run = { 'git' } }, run = function() end },\n" + second + " }\n"
		}
		const b = "tool{ name = 'b', description = 'Does something with rights.', permissions = { run = { '%s' } }, run = function() end }"
		l, dir := openArchive(t, file(""), Options{})
		write(t, dir, file(fmt.Sprintf(b, "kubectl")))
		_, lines := rescan(t, l)
		equal(t, "reported", lines, []string{"! s/a  asks for new permission run = kubectl → still serving the version from … until it is granted"})
		write(t, dir, file(fmt.Sprintf(b, "git")))
		_, lines = rescan(t, l)
		equal(t, "reported", lines, []string{"✓ s/a  reloaded in … (behaviour only)", "✓ s/b  new tool"})
	})
}

func TestRemovedToolsAreRemembered(t *testing.T) {
	var archive strings.Builder
	for i := range maxRemoved + 10 {
		fmt.Fprintf(&archive, "-- t%d.lua --\n%s", i, saying("x"))
	}
	l, dir := openArchive(t, archive.String()+"-- stays.lua --\n"+saying("x"), Options{})
	if n := len(l.Snapshot().Removed); n != 0 {
		t.Errorf("%d removed at the start", n)
	}
	remove := func(name string) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		reload(t, l)
	}
	remove("t0.lua")
	s := l.Snapshot()
	if at, ok := s.Removed["tools/t0"]; !ok || at.IsZero() || len(s.Removed) != 1 {
		t.Errorf("removed %v", s.Removed)
	}
	write(t, dir, "-- t0.lua --\n"+saying("x"))
	if s := reload(t, l); len(s.Removed) != 0 {
		t.Errorf("it is there again, and removed %v", s.Removed)
	}
	remove("t0.lua")
	for i := 1; i < maxRemoved+10; i++ {
		if err := os.Remove(filepath.Join(dir, fmt.Sprintf("t%d.lua", i))); err != nil {
			t.Fatal(err)
		}
	}
	s = reload(t, l)
	if _, ok := s.Removed["tools/t0"]; ok || len(s.Removed) != maxRemoved {
		t.Errorf("%d removed, the oldest among them: %v", len(s.Removed), ok)
	}
}

// Looking at the files that events name finds what a look at all finds, whatever happens to them.
func TestAPartialLookIsAsGoodAsAWholeOne(t *testing.T) {
	files := []string{"a.lua", "b.lua", "s/c.lua", "s/server.lua", "s/deep/d.lua", "lib/m.lua", "lib/n/o.lua", "_x.lua", ".y.lua", "x_test.lua", "hooks.lua",
		"Bad/e.lua", "s/deep/server.lua", "_h/f.lua", "link.lua"}
	texts := []string{saying("1"), saying("2"), "return tool{", "return { title = 'T' }", "", "x = 1"}
	r := rand.New(rand.NewPCG(1, 2))
	l, dir := openArchive(t, "-- a.lua --\n"+saying("a"), Options{})
	prev, err := l.folder.list(nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 400 {
		var dirty []string
		for range 1 + r.IntN(3) {
			name := files[r.IntN(len(files))]
			path := filepath.Join(dir, name)
			os.MkdirAll(filepath.Dir(path), 0o755)
			os.RemoveAll(path)
			switch r.IntN(6) {
			case 0: // gone
			case 1:
				if runtime.GOOS != "windows" {
					os.Symlink(files[r.IntN(len(files))], path)
				}
			case 2:
				os.MkdirAll(path, 0o755)
			default:
				os.WriteFile(path, []byte(texts[r.IntN(len(texts))]), 0o644)
			}
			dirty = append(dirty, name)
			// What a link leads to is marked by the watcher.
			dirty = append(dirty, prev.links...)
		}
		part, err := l.folder.update(prev, dirty)
		if err != nil {
			t.Fatal(err)
		}
		whole, err := l.folder.list(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, ls := range []*listing{part, whole} {
			slices.SortFunc(ls.problems, compareErrors)
		}
		if !part.same(whole) {
			t.Fatalf("after %q\n got %s\nwant %s", dirty, describeListing(part), describeListing(whole))
		}
		prev = part
	}
}

func describeListing(l *listing) string {
	var b strings.Builder
	for _, s := range l.sources {
		fmt.Fprintf(&b, "%s %q %v; ", s.file, s.text, s.err)
	}
	fmt.Fprint(&b, l.ignored, l.problems)
	return b.String()
}

// Every field of a definition is either compared for the report or known not to be shown to clients.
func TestNoFieldOfADefinitionIsForgotten(t *testing.T) {
	compared := []string{"Title", "Description", "Input", "Output", "ReadOnly", "Destructive", "Idempotent", "OpenWorld", "AlwaysLoad", "MaxResult", "Annotations", "Icons", "Meta"}
	notShown := []string{"Name", "OutputDeclared", "InputGate", "OutputGate", "Permissions", "Timeout", "Rate", "Concurrency", "Confirm", "ConfirmFunc", "Keep", "Examples",
		"Enabled", "EnabledFunc", "Run", "Line"}
	for f := range reflect.TypeFor[luabind.Definition]().Fields() {
		if !slices.Contains(compared, f.Name) && !slices.Contains(notShown, f.Name) {
			t.Errorf("is Definition.%s shown to clients?", f.Name)
		}
	}
}
