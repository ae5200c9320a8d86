package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestReadme writes the Lua files of the README to an empty folder, in the order of the page, and runs each command of its console
// blocks there. What follows a command is its stdout, to the letter; "# exit 4" behind it is the exit code it must have.
func TestReadme(t *testing.T) {
	page, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir, home := t.TempDir(), t.TempDir()
	bin := filepath.Join(home, "luatools")
	if out, err := exec.Command("go", "build", "-o", bin, "../..").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	commands := 0
	for _, block := range regexp.MustCompile("(?ms)^```(lua|console)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		if block[1] == "lua" {
			writeLua(t, dir, block[2])
			continue
		}
		for _, step := range strings.Split("\n"+block[2], "\n$ ")[1:] {
			line, want, _ := strings.Cut(step, "\n")
			line, code := exitCode(line)
			commands++
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir = dir
			cmd.Env = []string{"PATH=" + home + ":/usr/bin:/bin", "HOME=" + home}
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, _ := cmd.Output()
			if got := cmd.ProcessState.ExitCode(); got != code {
				t.Errorf("%s: exit %d, want %d\n%s", line, got, code, stderr.String())
			}
			if got := strings.TrimRight(string(out), "\n"); got != strings.TrimRight(want, "\n") {
				t.Errorf("%s: stdout is\n%s\nthe README says\n%s\nstderr:\n%s", line, got, want, stderr.String())
			}
		}
	}
	if commands < 5 {
		t.Errorf("only %d commands found: the README's console blocks are not read", commands)
	}
}

// writeLua writes a Lua block to the file that its first line names.
func writeLua(t *testing.T, dir, source string) {
	name, ok := strings.CutPrefix(strings.SplitN(source, "\n", 2)[0], "-- ")
	if !ok || !strings.HasSuffix(name, ".lua") {
		return
	}
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
}

// exitCode takes the "# exit N" off a command line.
func exitCode(line string) (string, int) {
	cmd, n, ok := strings.Cut(line, " # exit ")
	if !ok {
		return line, 0
	}
	code, _ := strconv.Atoi(n)
	return cmd, code
}
