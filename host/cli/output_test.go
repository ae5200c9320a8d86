package cli

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// full is a stdout whose disk has room for a few bytes.
type full struct {
	room int
	got  bytes.Buffer
}

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return 0, &fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
	}
	f.room -= len(p)
	return f.got.Write(p)
}

func TestOutputThatDoesNotArriveIsAFailure(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "greet.lua")
	if err := os.WriteFile(file, []byte(`return tool("greet", "Greet someone by name", {}, function() return "Hello" end)`), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir) // no Claude CLI
	t.Setenv("HOME", dir)
	for _, tt := range []struct {
		name string
		args []string
	}{
		{"of list", []string{"list", "--tools", dir, "--server", "tools"}},
		{"of list --json", []string{"list", "--json", "--tools", dir, "--server", "tools"}},
		{"of call", []string{"call", "greet", "--tools", dir, "--server", "tools"}},
		{"of call --json", []string{"call", "greet", "--json", "--tools", dir, "--server", "tools"}},
		{"of check --json", []string{"check", "--json", "--tools", dir, "--server", "tools"}},
		{"of run", []string{"run", "greet", "--tools", dir, "--server", "tools"}},
		{"of run --json", []string{"run", "greet", "--json", "--tools", dir, "--server", "tools"}},
		{"of serve", []string{"serve", "--tools", dir, "--server", "tools", "--watch", "off"}},
		{"of version", []string{"version"}},
		{"of help", []string{"help"}},
		{"of the help of a command", []string{"help", "call"}},
		{"of --help", []string{"call", "--help"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var notes bytes.Buffer
			ping := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n") // for serve
			if code := Main(tt.args, ping, &full{}, &notes); code != exitFailed ||
				strings.Count(notes.String(), "error: the output could not be written: no space left on device\n") != 1 {
				t.Errorf("exit %d, stderr:\n%s", code, &notes)
			}
			notes.Reset()
			if code := Main(tt.args, strings.NewReader(""), &full{room: 1 << 20}, &notes); code != exitOK || strings.Contains(notes.String(), "error:") {
				t.Errorf("with room: exit %d, stderr:\n%s", code, &notes)
			}
		})
	}
}

func TestOutputAfterAFailureIsNotResumed(t *testing.T) {
	disk := &full{room: 3}
	o := &output{w: disk}
	for _, s := range []string{"ab", "cdef", "g"} {
		_, _ = o.Write([]byte(s))
	}
	if disk.got.String() != "ab" || !errors.Is(o.lost(), syscall.ENOSPC) {
		t.Errorf("wrote %q, %v: a gap would look like the whole", &disk.got, o.lost())
	}
}
