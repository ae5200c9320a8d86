//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

const npmPackage = "@anthropic-ai/claude-code"

// missingError is a program that the machine lacks.
type missingError struct{ program string }

func (e *missingError) Error() string {
	return e.program + " is missing, so the Claude CLI cannot be installed; install Node.js to run these tests"
}

// install puts a version of the CLI ("2.1.33", "latest") into a folder of its own under cache, unless it is there.
func install(cache, want string) (installed, error) {
	c := installed{Want: want, Version: want}
	for _, program := range []string{"npm", "node"} {
		if _, err := exec.LookPath(program); err != nil {
			return c, &missingError{program}
		}
	}
	if want == "latest" {
		out, err := npm("view", npmPackage, "version")
		if err != nil {
			return c, err
		}
		c.Version = strings.TrimSpace(string(out))
	}
	dir, err := filepath.Abs(filepath.Join(cache, "claude-"+c.Version))
	if err != nil {
		return c, err
	}
	c.Path = filepath.Join(dir, "node_modules", ".bin", "claude")
	if answers(c) == nil {
		return c, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return c, err
	}
	manifest := filepath.Join(dir, "package.json")
	if err := os.WriteFile(manifest, []byte(`{"name":"luatools-e2e","private":true}`+"\n"), 0o644); err != nil {
		return c, err
	}
	if _, err := npm("install", "--prefix", dir, "--no-audit", "--no-fund", "--no-progress", "--save-exact", "--include=optional", npmPackage+"@"+c.Version); err != nil {
		return c, err
	}
	// npm may leave out a package's own install script; current versions put their program in place with it.
	if script := filepath.Join(dir, "node_modules", filepath.FromSlash(npmPackage), "install.cjs"); exists(script) {
		cmd := exec.Command("node", script)
		cmd.Dir = filepath.Dir(script)
		if out, err := cmd.CombinedOutput(); err != nil {
			return c, fmt.Errorf("install claude %s: %w\n%s", c.Version, err, out)
		}
	}
	return c, answers(c)
}

// answers checks that the program is there and tells its version.
func answers(c installed) error {
	out, err := exec.Command(c.Path, "-v").Output()
	if err != nil {
		return fmt.Errorf("claude %s: %w", c.Version, err)
	}
	if !strings.HasPrefix(string(out), c.Version+" ") {
		return fmt.Errorf("claude %s says it is %s", c.Version, bytes.TrimSpace(out))
	}
	return nil
}

// npmWait bounds one run of npm, which waits without end for a network that says nothing.
const npmWait = 4 * time.Minute

func npm(args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), npmWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", args...)
	cmd.WaitDelay = time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("npm %s: %w\n%s", args[0], err, stderr.Bytes())
	}
	return out, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
