package scripts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// watching is a Watch that runs, with what it reported so far.
type watching struct {
	testing.TB
	lib *Library
	dir string

	mu       sync.Mutex
	came     *sync.Cond
	lines    []string // Change.String, times taken out
	extras   []string
	warnings []string
	reloads  []*Reload

	sentinels int
}

// unstable are the parts of a report that differ from run to run.
var unstable = regexp.MustCompile(`below 1 ms|\d+ ms|\d+\.\d s|\d\d:\d\d`)

// startWatch runs Watch until the test ends. Edits may be made at once: Watch begins with a look at everything.
func startWatch(t testing.TB, l *Library, o WatchOptions) *watching {
	w := &watching{TB: t, lib: l, dir: l.folder.dir}
	w.came = sync.NewCond(&w.mu)
	note := func(f func()) { w.mu.Lock(); f(); w.came.Broadcast(); w.mu.Unlock() }
	o.ExtraChanged = func(path string) { note(func() { w.extras = append(w.extras, path) }) }
	o.Warn = func(text string) { note(func() { w.warnings = append(w.warnings, text) }) }
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() {
		done <- l.Watch(ctx, o, func(r *Reload) {
			note(func() {
				w.reloads = append(w.reloads, r)
				for _, c := range r.Changes {
					w.lines = append(w.lines, unstable.ReplaceAllString(c.String(), "…"))
				}
			})
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Watch: %v", err)
		}
	})
	return w
}

// await waits until what was reported satisfies ok.
func (w *watching) await(what string, ok func() bool) {
	w.Helper()
	late := time.AfterFunc(20*time.Second, w.came.Broadcast)
	defer late.Stop()
	began := time.Now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for !ok() {
		if time.Since(began) > 20*time.Second {
			w.Fatalf("%s did not come; reports %q, warnings %q, extras %q, faults %q", what, w.lines, w.warnings, w.extras, faults(w.lib.Snapshot()))
		}
		w.came.Wait()
	}
}

// awaitLine waits for a line of a report.
func (w *watching) awaitLine(line string) {
	w.Helper()
	w.await(line, func() bool { return slices.Contains(w.lines, line) })
}

// settled adds a tool, waits until it is there, and returns the lines about all others since the last time: whatever was to come
// has come by then.
func (w *watching) settled() []string {
	w.Helper()
	w.sentinels++
	name := fmt.Sprint("sentinel", w.sentinels)
	write(w, w.dir, "-- "+name+".lua --\n"+saying("sentinel"))
	w.awaitLine("✓ tools/" + name + "  new tool")
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := slices.DeleteFunc(slices.Clone(w.lines), func(s string) bool { return strings.Contains(s, "sentinel") })
	slices.Sort(lines)
	w.lines = nil
	return lines
}

// steps are what tests do to files; all stop the test when they fail.
type steps struct {
	testing.TB
	dir string
}

func (s steps) check(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s steps) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.dir, filepath.FromSlash(name))
}

func (s steps) write(name, text string) {
	s.Helper()
	s.check(os.MkdirAll(filepath.Dir(s.path(name)), 0o755))
	s.check(os.WriteFile(s.path(name), []byte(text), 0o644))
}

func (s steps) rename(from, to string) { s.Helper(); s.check(os.Rename(s.path(from), s.path(to))) }
func (s steps) remove(name string)     { s.Helper(); s.check(os.RemoveAll(s.path(name))) }

func (s steps) link(target, name string) { s.Helper(); s.check(os.Symlink(target, s.path(name))) }

// run runs a program in the folder, or skips the test when it is not installed.
func (s steps) run(name string, args ...string) {
	s.Helper()
	if _, err := exec.LookPath(name); err != nil {
		s.Skipf("%s is not installed", name)
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull, "HOME="+s.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
}

func (s steps) git(args ...string) {
	s.Helper()
	s.run("git", append([]string{"-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false"}, args...)...)
}

const reloaded = "reloaded in … (behaviour only)"

// TestHabits saves as people and programs save. Each case names what they did; the report must be what they meant.
func TestHabits(t *testing.T) {
	two := "-- a.lua --\n" + saying("one") + "-- ops/b.lua --\n" + saying("b") + "-- ops/k8s/c.lua --\n" + saying("c")
	for _, tt := range []struct {
		name   string
		before func(s steps) // before the library is opened; nil for nothing
		do     func(s steps)
		want   []string // sorted
	}{
		{"write in place", nil, func(s steps) { s.write("a.lua", saying("two")) }, []string{"✓ tools/a  " + reloaded}},
		{"VS Code: truncate, then write", nil, func(s steps) {
			f, err := os.OpenFile(s.path("a.lua"), os.O_WRONLY|os.O_TRUNC, 0)
			s.check(err)
			_, err = f.WriteString(saying("two"))
			s.check(err)
			s.check(f.Close())
		}, []string{"✓ tools/a  " + reloaded}},
		{"in two steps, the first of which is no Lua", nil, func(s steps) {
			text := saying("two")
			s.write("a.lua", text[:20])
			f, err := os.OpenFile(s.path("a.lua"), os.O_WRONLY|os.O_APPEND, 0)
			s.check(err)
			_, err = f.WriteString(text[20:])
			s.check(err)
			s.check(f.Close())
		}, []string{"✓ tools/a  " + reloaded}},
		{"vim: a trial file, a backup by rename, a new file", nil, func(s steps) {
			s.write("4913", "")
			s.remove("4913")
			s.write(".a.lua.swp", "b0VIM")
			s.rename("a.lua", "a.lua~")
			s.write("a.lua", saying("two"))
			s.check(os.Chmod(s.path("a.lua"), 0o600))
			s.remove("a.lua~")
			s.remove(".a.lua.swp")
		}, []string{"✓ tools/a  " + reloaded}},
		{"vim itself", nil, func(s steps) {
			s.run("vim", "-es", "-N", "-u", "NONE", "-i", "NONE", "-c", "set backup writebackup backupcopy=no", "-c", `%s/"one"/"two"/`, "-c", "wq", "a.lua")
			s.remove("a.lua~")
		}, []string{"✓ tools/a  " + reloaded}},
		{"Emacs: a lock that links to nothing, an autosave, a backup", nil, func(s steps) {
			s.link("me@here.1", ".#a.lua")
			s.write("#a.lua#", saying("two"))
			s.rename("a.lua", "a.lua~")
			s.write("a.lua", saying("two"))
			s.remove("#a.lua#")
			s.remove(".#a.lua")
		}, []string{"✓ tools/a  " + reloaded}},
		{"sed -i: a temporary file that takes the name", nil, func(s steps) { s.run("sed", "-i", "-e", `s/"one"/"two"/`, "a.lua") },
			[]string{"✓ tools/a  " + reloaded}},
		{"rsync's way: a hidden temporary file that takes the name, and old times", nil, func(s steps) {
			s.write(".a.lua.Xy12", saying("two"))
			s.check(os.Chtimes(s.path(".a.lua.Xy12"), time.Unix(1, 0), time.Unix(1, 0)))
			s.rename(".a.lua.Xy12", "a.lua")
		}, []string{"✓ tools/a  " + reloaded}},
		{"rsync itself", nil, func(s steps) {
			from := s.TempDir()
			steps{s.TB, from}.write("a.lua", saying("two"))
			s.run("rsync", "-a", "--checksum", from+"/", s.dir+"/") // size and second are those of the old one
		}, []string{"✓ tools/a  " + reloaded}},
		{"git checkout of another branch", func(s steps) {
			s.git("init", "-q", "-b", "main")
			s.git("add", ".")
			s.git("commit", "-q", "-m", "one")
			s.git("checkout", "-q", "-b", "other")
			s.write("a.lua", saying("two"))
			s.remove("ops")
			s.write("db/query.lua", saying("query"))
			s.git("add", "-A")
			s.git("commit", "-q", "-m", "two")
			s.git("checkout", "-q", "main")
		}, func(s steps) { s.git("checkout", "-q", "other") },
			[]string{"✓ db/query  new tool", "✓ ops/b  removed", "✓ ops/k8s_c  removed", "✓ tools/a  " + reloaded}},
		{"touch", nil, func(s steps) { now := time.Now(); s.check(os.Chtimes(s.path("a.lua"), now, now)) }, nil},
		{"save without a change", nil, func(s steps) { s.write("a.lua", saying("one")) }, nil},
		{"a change that is undone at once", nil, func(s steps) { s.write("a.lua", "oops"); s.write("a.lua", saying("one")) }, nil},
		{"delete", nil, func(s steps) { s.remove("a.lua") }, []string{"✓ tools/a  removed"}},
		{"rename is one removal and one addition", nil, func(s steps) { s.rename("a.lua", "z.lua") }, []string{"✓ tools/a  removed", "✓ tools/z  new tool"}},
		{"exchange two files", nil, func(s steps) {
			s.rename("a.lua", "tmp")
			s.rename("ops/b.lua", "a.lua")
			s.rename("tmp", "ops/b.lua")
		}, []string{"✓ ops/b  " + reloaded, "✓ tools/a  " + reloaded}},
		{"files in folders that come at the same time", nil, func(s steps) { s.write("new/deep/er/x.lua", saying("x")); s.write("new/y.lua", saying("y")) },
			[]string{"✓ new/deep_er_x  new tool", "✓ new/y  new tool"}},
		{"delete a folder", nil, func(s steps) { s.remove("ops") }, []string{"✓ ops/b  removed", "✓ ops/k8s_c  removed"}},
		{"rename a folder", nil, func(s steps) { s.rename("ops", "web") },
			[]string{"✓ ops/b  removed", "✓ ops/k8s_c  removed", "✓ web/b  new tool", "✓ web/k8s_c  new tool"}},
		{"bring a folder from elsewhere", nil, func(s steps) {
			from := steps{s.TB, s.TempDir()}
			from.write("web/x.lua", saying("x"))
			s.rename(from.path("web"), "web")
		}, []string{"✓ web/x  new tool"}},
		{"take a folder away", nil, func(s steps) { s.rename("ops", filepath.Join(s.TempDir(), "ops")) }, []string{"✓ ops/b  removed", "✓ ops/k8s_c  removed"}},
		{"a folder of dots and underscores is nobody's business", nil, func(s steps) { s.write(".git/x.lua", "oops"); s.write("_old/x.lua", "oops") }, nil},
		{"a module for which one tool is loaded anew", func(s steps) {
			s.write("lib/words.lua", "return { hello = 'Hello' }")
			s.write("a.lua", "local w = require 'lib.words' return tool{ description = 'Says a word of a module.', run = function() return w.hello end }")
		}, func(s steps) { s.write("lib/words.lua", "return { hello = 'Moin' }") }, []string{"✓ tools/a  reloaded in … (tools/lib/words.lua changed)"}},
		{"server.lua", nil, func(s steps) { s.write("ops/server.lua", "return { title = 'Operations' }") }, []string{"✓ tools/ops/server.lua  reloaded in …"}},
		{"a server's time limit", nil, func(s steps) { s.write("ops/server.lua", "return { timeout = '3s' }") },
			[]string{"✓ ops/b  its time limit is 3s now", "✓ ops/k8s_c  its time limit is 3s now", "✓ tools/ops/server.lua  reloaded in …"}},
		{"a link in the folder, and what it leads to", func(s steps) { s.write("_parts/x.lua", saying("one")); s.link("_parts/x.lua", "x.lua") },
			func(s steps) { s.write("_parts/x.lua", saying("two")) }, []string{"✓ tools/x  " + reloaded}},
		{"a mounted folder of settings, whose files lead through one link that is swapped", func(s steps) {
			s.write("..1/x.lua", saying("one"))
			s.link("..1", "..data")
			s.link("..data/x.lua", "x.lua")
		}, func(s steps) {
			s.write("..2/x.lua", saying("two"))
			s.link("..2", "..new")
			s.rename("..new", "..data")
		}, []string{"✓ tools/x  " + reloaded}},
		{"a file becomes a folder", nil, func(s steps) { s.remove("a.lua"); s.write("a.lua/x.lua", saying("x")) }, []string{
			`✗ tools/a.lua  "a.lua" cannot name a folder of tools: names are lower-case letters, digits, _ and -, begin with a letter and hold no __`, "✓ tools/a  removed"}},
	} {
		for _, mode := range []struct {
			name string
			o    WatchOptions
		}{
			{"events", WatchOptions{Quiet: 100 * time.Millisecond}}, // wide, for a busy machine
			{"poll", WatchOptions{Quiet: 100 * time.Millisecond, Poll: 5 * time.Millisecond}},
		} {
			t.Run(tt.name+"/"+mode.name, func(t *testing.T) {
				t.Parallel()
				if runtime.GOOS == "windows" && strings.Contains(tt.name, "link") {
					t.Skip("making links needs rights on Windows")
				}
				dir := filepath.Join(t.TempDir(), "tools")
				write(t, dir, two)
				s := steps{t, dir}
				if tt.before != nil {
					tt.before(s)
				}
				w := startWatch(t, openDir(t, dir), mode.o)
				w.settled()
				tt.do(s)
				for _, line := range tt.want {
					w.awaitLine(line)
				}
				got := w.settled()
				equal(t, "reported", got, slices.Sorted(slices.Values(tt.want)))
			})
		}
	}
}

func openDir(t testing.TB, dir string) *Library {
	t.Helper()
	l, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// A watch goes along with a folder that is renamed, and must not tell the old paths ever after.
func TestFoldersThatMovedAreStillWatched(t *testing.T) {
	l, dir := openArchive(t, "-- ops/b.lua --\n"+saying("b")+"-- ops/k8s/c.lua --\n"+saying("c"), Options{})
	s, w := steps{t, dir}, startWatch(t, l, WatchOptions{})
	w.settled()
	s.rename("ops", "web")
	w.awaitLine("✓ web/k8s_c  new tool")
	s.write("web/b.lua", saying("bb"))
	s.write("web/k8s/c.lua", saying("cc"))
	w.awaitLine("✓ web/b  " + reloaded)
	w.awaitLine("✓ web/k8s_c  " + reloaded)
	s.rename("web", "tmp") // exchanged with a folder that comes
	s.write("web/k8s/c.lua", saying("other"))
	w.awaitLine("✓ tmp/k8s_c  new tool")
	s.write("tmp/k8s/c.lua", saying("ccc"))
	w.awaitLine("✓ tmp/k8s_c  " + reloaded)
	if got := callText(t, find(t, l.Snapshot(), "web/k8s_c"), "{}"); got != "other" {
		t.Errorf("web/k8s_c = %q", got)
	}
}

func TestTheFolderItself(t *testing.T) {
	for _, o := range []WatchOptions{{}, {Poll: 5 * time.Millisecond}} {
		mode := map[bool]string{false: "events", true: "poll"}[o.Poll > 0]
		t.Run("deleted and made again/"+mode, func(t *testing.T) {
			top := steps{t, t.TempDir()}
			top.write("x/tools/a.lua", saying("one"))
			l := openDir(t, top.path("x/tools"))
			w := startWatch(t, l, o)
			w.settled()
			for i, gone := range []string{"x/tools", "x"} {
				top.rename(gone, "away"+strconv.Itoa(i)) // at once: a reload while a folder is being deleted would withdraw tools
				w.await("the warning", func() bool { return len(w.warnings) == i+1 })
				if got := callText(t, find(t, l.Snapshot(), "tools/a"), "{}"); got != "one" {
					t.Errorf("while the folder is gone, a = %q", got)
				}
				top.write("x/tools/a.lua", saying("one"))
				top.write("x/tools/sub/b.lua", saying("b"))
				w.awaitLine("✓ sub/b  new tool")
				top.write("x/tools/sub/b.lua", saying("bb"))
				w.awaitLine("✓ sub/b  " + reloaded)
				top.remove("x/tools/sub")
				w.awaitLine("✓ sub/b  removed")
				w.settled()
			}
			if !strings.Contains(w.warnings[0], "no tools folder at") {
				t.Errorf("warned %q", w.warnings[0])
			}
		})
		t.Run("a link that is led elsewhere/"+mode, func(t *testing.T) {
			top := steps{t, t.TempDir()}
			top.write("v1/a.lua", saying("one"))
			top.write("v2/a.lua", saying("two"))
			top.write("v2/b.lua", saying("b"))
			top.link("v1", "current")
			top.link("current", "tools")
			l := openDir(t, top.path("tools"))
			w := startWatch(t, l, o)
			w.settled()
			top.run("ln", "-sfn", "v2", "current")
			w.awaitLine("✓ tools/b  new tool")
			if got := callText(t, find(t, l.Snapshot(), "tools/a"), "{}"); got != "two" {
				t.Errorf("a = %q", got)
			}
			w.settled()
			top.write("v1/a.lua", saying("old"))
			equal(t, "reported of the old target", w.settled(), nil)
			top.write("v2/a.lua", saying("three"))
			w.awaitLine("✓ tools/a  " + reloaded)
		})
	}
	t.Run("a folder above is exchanged", func(t *testing.T) {
		top := steps{t, t.TempDir()}
		top.write("home/me/x/tools/a.lua", saying("one"))
		top.write("other/me/x/tools/b.lua", saying("b"))
		w := startWatch(t, openDir(t, top.path("home/me/x/tools")), WatchOptions{})
		w.settled()
		top.rename("home", "away")
		top.rename("other", "home")
		w.awaitLine("✓ tools/b  new tool")
		w.awaitLine("✓ tools/a  removed")
	})
}

func TestFurtherFiles(t *testing.T) {
	for _, o := range []WatchOptions{{}, {Poll: 5 * time.Millisecond}} {
		t.Run(map[bool]string{false: "events", true: "poll"}[o.Poll > 0], func(t *testing.T) {
			top := steps{t, t.TempDir()}
			top.write("x/tools/a.lua", saying("one"))
			there, later, linked := top.path("x/luatools.lua"), top.path("y/z/later.lua"), top.path("x/linked.lua")
			top.write(there, "return {}")
			top.write("conf/1.lua", "one")
			top.link("../conf/1.lua", linked)
			o.Extra = []string{there, later, linked}
			w := startWatch(t, openDir(t, top.path("x/tools")), o)
			w.settled()
			for _, step := range []struct {
				name, path string
				do         func()
			}{
				{"a write", there, func() { top.write(there, "return { timeout = 1 }") }},
				{"a rename onto it", there, func() { top.write("x/tmp", "return { timeout = 2 }"); top.rename("x/tmp", there) }},
				{"a removal", there, func() { top.remove(there) }},
				{"it is back", there, func() { top.write(there, "return {}") }},
				{"a file whose folders come too", later, func() { top.write(later, "") }},
				{"a change of it", later, func() { top.write(later, "x") }},
				{"a change of what a link leads to", linked, func() { top.write("conf/1.lua", "two") }},
				{"the link leads elsewhere", linked, func() { top.write("conf/2.lua", "three"); top.remove(linked); top.link("../conf/2.lua", linked) }},
				{"a change there", linked, func() { top.write("conf/2.lua", "four") }},
			} {
				w.mu.Lock()
				w.extras = nil
				w.mu.Unlock()
				step.do()
				w.await(step.name, func() bool { return slices.Contains(w.extras, step.path) })
			}
			w.settled()
			w.mu.Lock()
			w.extras = nil
			w.mu.Unlock()
			now := time.Now()
			top.check(os.Chtimes(there, now, now))
			top.write(there, "return {}")
			equal(t, "reported", w.settled(), nil)
			if len(w.extras) > 0 {
				t.Errorf("a touch is no change: %q", w.extras)
			}
		})
	}
}

// A queue of events that runs over has lost the edit; a look at everything finds it.
func TestOverflow(t *testing.T) {
	b, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Skip("the length of the queue is known on Linux only")
	}
	most, _ := strconv.Atoi(strings.TrimSpace(string(b)))
	if most > 1<<17 {
		t.Skipf("a queue of %d events takes too long to fill", most)
	}
	l, dir := openArchive(t, "-- a.lua --\n"+saying("one")+"-- b.lua --\n"+saying("b"), Options{})
	s := steps{t, dir}
	ctx, cancel := context.WithCancel(t.Context())
	entered, release, seen := make(chan bool), make(chan bool), make(chan *Reload, 8)
	var wg sync.WaitGroup
	wg.Go(func() {
		first := true
		l.Watch(ctx, WatchOptions{}, func(r *Reload) {
			if first {
				first = false
				entered <- true
				<-release
			}
			seen <- r
		})
	})
	s.write("a.lua", saying("two"))
	<-entered
	for i := range 2 * most { // equal events in a row count as one
		s.check(os.Chtimes(s.path([]string{"a.lua", "b.lua"}[i%2]), time.Unix(int64(i), 0), time.Unix(int64(i), 0)))
	}
	s.write("sub/c.lua", saying("c"))
	close(release)
	for r := range seen {
		if names(r.After)[0] == "sub/c" {
			break
		}
	}
	s.write("sub/c.lua", saying("cc")) // the folder is watched
	for r := range seen {
		if len(r.Changes) == 1 && r.Changes[0].Tool == "sub/c" && r.Changes[0].Kind == Behaviour {
			break
		}
	}
	cancel()
	wg.Wait()
}

func TestWithoutWatchesItPolls(t *testing.T) {
	l, dir := openArchive(t, "-- a.lua --\n"+saying("one"), Options{})
	limit := 1
	o := WatchOptions{add: func(n *notifier, dir string) error {
		if limit == 0 {
			return syscall.ENOSPC
		}
		limit--
		return n.Add(dir)
	}}
	w := startWatch(t, l, o)
	w.await("the warning", func() bool { return len(w.warnings) == 1 })
	if got := w.warnings[0]; !strings.Contains(got, "no events for the tools folder (watch ") || !strings.Contains(got, "looking at it every 1s instead") {
		t.Errorf("warned %q", got)
	}
	steps{t, dir}.write("a.lua", saying("two"))
	w.awaitLine("✓ tools/a  " + reloaded)
}

func TestRescanAndWatchReportOnce(t *testing.T) {
	l, dir := openArchive(t, "-- a.lua --\n"+saying("one"), Options{})
	w, s := startWatch(t, l, WatchOptions{}), steps{t, dir}
	w.settled()
	s.write("b.lua", saying("b"))
	r, err := l.Rescan(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	lines := w.settled()
	for _, c := range r.Changes {
		lines = append(lines, c.String())
	}
	equal(t, "reported", lines, []string{"✓ tools/b  new tool"})
	if r, err = l.Rescan(t.Context()); err != nil || len(r.Changes) != 0 || r.Before != r.After || r.After != l.Snapshot() {
		t.Errorf("nothing changed: %+v, %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.write("c.lua", saying("c"))
	if r, err := l.Rescan(ctx); !errors.Is(err, context.Canceled) || r != nil {
		t.Errorf("cancelled: %v, %v", r, err)
	}
}

// Writes that never pause do not put off the reload for ever.
func TestASteadyStreamOfWrites(t *testing.T) {
	l, dir := openArchive(t, "-- a.lua --\n"+saying("one"), Options{})
	w := startWatch(t, l, WatchOptions{Quiet: 100 * time.Millisecond})
	stop := make(chan bool)
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				steps{t, dir}.write("a.lua", saying(fmt.Sprint(i)))
				runtime.Gosched()
			}
		}
	})
	w.await("a reload", func() bool { return len(w.reloads) >= 2 })
	close(stop)
	wg.Wait()
}
