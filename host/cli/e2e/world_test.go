//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// world is one folder with tools, one home, one API, and one version of the CLI.
type world struct {
	t         *testing.T
	cli       installed
	api       *api
	dir, home string
}

// outcome is how a run of luatools ended.
type outcome struct {
	stdout, stderr string
	code           int
}

// everyCLI runs a test with each version of the CLI and an API with these replies.
func everyCLI(t *testing.T, replies func() []reply, test func(*world)) {
	t.Helper()
	if ready.Skip != "" {
		t.Skip(ready.Skip)
	}
	for _, cli := range ready.CLIs {
		t.Run(cli.Version, func(t *testing.T) {
			w := &world{t: t, cli: cli, api: serveAPI(t, replies()...), dir: t.TempDir(), home: t.TempDir()}
			if err := os.CopyFS(w.dir, os.DirFS(filepath.Join("..", "..", "..", "examples", "greet"))); err != nil {
				t.Fatal(err)
			}
			test(w)
		})
	}
}

func script(replies ...reply) func() []reply { return func() []reply { return replies } }

// file writes a file of the world's folder.
func (w *world) file(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// env has nothing of the caller's but PATH, so that no login, proxy or setting of this machine counts.
func (w *world) env() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"),
		"HOME=" + w.home,
		"CLAUDE_CONFIG_DIR=" + filepath.Join(w.home, ".claude"),
		"TMPDIR=" + os.TempDir(),
		"LANG=C.UTF-8", "TERM=dumb", "USER=nobody", "SHELL=/bin/sh",
		"ANTHROPIC_API_KEY=dummy-key",
		"ANTHROPIC_BASE_URL=" + w.api.URL,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1", "DISABLE_AUTOUPDATER=1", "DISABLE_BUG_COMMAND=1", "DISABLE_COST_WARNINGS=1",
		"IS_SANDBOX=1",
		"NO_PROXY=127.0.0.1,localhost",
	}
}

// command is luatools run with the world's CLI.
func (w *world) command(args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(w.t.Context(), 90*time.Second)
	w.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, ready.Binary, append([]string{"run", "--claude", w.cli.Path}, args...)...)
	cmd.Dir, cmd.Env = w.dir, w.env()
	cmd.WaitDelay = 5 * time.Second
	return cmd
}

// run runs luatools run to its end.
func (w *world) run(args ...string) outcome {
	w.t.Helper()
	cmd := w.command(args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	return w.ended(cmd.Run(), &stdout, &stderr)
}

func (w *world) ended(err error, stdout, stderr *bytes.Buffer) outcome {
	w.t.Helper()
	o := outcome{stdout: stdout.String(), stderr: stderr.String()}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		o.code = exit.ExitCode()
	} else if err != nil {
		w.t.Fatalf("luatools run: %v\n%s", err, o.stderr)
	}
	return o
}

// want checks stdout, the exit code, and that stderr has certain texts.
func (w *world) want(o outcome, stdout string, code int, stderr ...string) {
	w.t.Helper()
	if o.stdout != stdout || o.code != code {
		w.t.Errorf("stdout %q and exit code %d, want %q and %d; stderr:\n%s", o.stdout, o.code, stdout, code, o.stderr)
	}
	for _, text := range stderr {
		if !strings.Contains(o.stderr, text) {
			w.t.Errorf("stderr lacks %q:\n%s", text, o.stderr)
		}
	}
}

// requests returns the requests that the model got, which must be n.
func (w *world) requests(n int) []request {
	w.t.Helper()
	got := w.api.main()
	if len(got) != n {
		w.t.Fatalf("the model got %d requests, want %d", len(got), n)
	}
	return got
}

// result returns the only tool result of a request.
func (w *world) result(r request) toolResult {
	w.t.Helper()
	if len(r.results) != 1 {
		w.t.Fatalf("the model got %d tool results, want 1: %+v", len(r.results), r.results)
	}
	return r.results[0]
}
