package scripts

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

func TestStamp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lua")
	s := steps{t, filepath.Dir(path)}
	stat := func() os.FileInfo {
		info, err := os.Stat(path)
		s.check(err)
		return info
	}
	s.write(path, "one")
	if newStamp(stat(), time.Now()).settled {
		t.Error("a file that was written this moment may be written once more without a trace")
	}
	later := time.Now().Add(settling + time.Second)
	st := newStamp(stat(), later)
	if !st.settled || !st.holds(stat()) {
		t.Error("a file at rest is as it was")
	}
	if (stamp{}).holds(stat()) {
		t.Error("nothing is known of a file that was not read")
	}
	for _, tt := range []struct {
		name string
		do   func()
	}{
		{"a write", func() { s.check(os.Chtimes(path, later, later)) }},
		{"another length", func() { s.write(path, "longer") }},
		{"another file with the same times", func() {
			was := stat().ModTime()
			s.write("b", "two")
			s.check(os.Chtimes(s.path("b"), was, was))
			s.rename("b", path)
		}},
		{"an edit that put the times back", func() {
			if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
				s.write(path, "the time of the inode is not known here")
				return
			}
			was := stat().ModTime()
			s.write(path, "six")
			s.check(os.Chtimes(path, was, was))
		}},
	} {
		s.write(path, "one")
		st := newStamp(stat(), later)
		// The clock of files has steps: wait until it has moved on.
		for moved := false; !moved; {
			s.write("tick", "")
			info, err := os.Stat(s.path("tick"))
			s.check(err)
			moved = info.ModTime().After(stat().ModTime())
		}
		if tt.do(); st.holds(stat()) {
			t.Errorf("%s goes unnoticed", tt.name)
		}
	}
}

// What an edit costs does not depend on the files that did not change: only those that events name are looked at.
func TestOnlyNamedFilesAreLookedAt(t *testing.T) {
	l, dir := openArchive(t, "-- a.lua --\n"+saying("a")+"-- s/b.lua --\n"+saying("b"), Options{})
	write(t, dir, "-- a.lua --\n"+saying("aa")+"-- s/b.lua --\n"+saying("bb"))
	prev := l.shelf.found
	next, err := l.folder.update(prev, []string{"a.lua"})
	if err != nil {
		t.Fatal(err)
	}
	if got := next.source("tools/a.lua").text; got != saying("aa") {
		t.Errorf("a holds %q", got)
	}
	if next.source("tools/s/b.lua") != prev.source("tools/s/b.lua") {
		t.Error("b was looked at")
	}
}
