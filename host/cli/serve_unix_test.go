//go:build unix

package cli_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestServeWhileItsOutputIsNotRead runs the process itself: its stdout is a full pipe, which no deadline interrupts.
func TestServeWhileItsOutputIsNotRead(t *testing.T) {
	luatools, err := exec.LookPath("luatools") // testscript puts it there
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name   string
		end    func(*os.Process, io.Closer) error
		code   int
		stderr string
		within time.Duration
	}{
		{"the end of input ends it, and it says what was lost", func(_ *os.Process, in io.Closer) error { return in.Close() }, 1,
			"error: write to the MCP client: the MCP client does not read; messages lost: 1\n", 10 * time.Second},
		{"one SIGTERM ends it", func(p *os.Process, _ io.Closer) error { return p.Signal(syscall.SIGTERM) }, 143, "", 2 * time.Second},
		{"one SIGINT ends it", func(p *os.Process, _ io.Closer) error { return p.Signal(os.Interrupt) }, 130, "", 2 * time.Second},
		{"so does a signal after the end of input", func(p *os.Process, in io.Closer) error {
			return errors.Join(in.Close(), p.Signal(syscall.SIGTERM))
		}, 143, "", 2 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tool := `return tool("big", "Return much text", {}, function() return string.rep("x", 1000000) end)`
			if err := os.Mkdir(filepath.Join(dir, "tools"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "tools", "big.lua"), []byte(tool), 0o644); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(luatools, "serve")
			cmd.Dir = dir
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			defer cmd.Process.Kill()
			io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"big"}}`+"\n")
			if _, err := io.ReadFull(out, make([]byte, 10)); err != nil { // so the write has begun
				t.Fatal(err)
			}
			began := time.Now()
			if err := tt.end(cmd.Process, in); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
			defer late.Stop()
			state, err := cmd.Process.Wait() // cmd.Wait, which closes out, comes when nothing can end by that
			if err != nil {
				t.Fatal(err)
			}
			took := time.Since(began)
			cmd.Wait() // until stderr is copied; the process itself is gone
			if state.ExitCode() != tt.code || stderr.String() != tt.stderr || took > tt.within {
				t.Errorf("exit %v after %v, stderr %q; want %d within %v, stderr %q", state, took, &stderr, tt.code, tt.within, tt.stderr)
			}
		})
	}
}
