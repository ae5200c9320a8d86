package interop

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// build compiles the program of the root module once.
var build = sync.OnceValues(func() (string, error) {
	name := "luatools"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	program := filepath.Join(buildDir, name)
	cmd := exec.Command("go", "build", "-o", program, ".")
	cmd.Dir = filepath.Join("..", "..", "..")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", &buildError{err, out}
	}
	return program, nil
})

type buildError struct {
	err error
	out []byte
}

func (e *buildError) Error() string { return "go build: " + e.err.Error() + "\n" + string(e.out) }

// serve is the command under test; its stderr is shown when the test fails.
func serve(t *testing.T) *exec.Cmd {
	t.Helper()
	program, err := build()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "serve", "--tools", filepath.Join("testdata", "tools"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("stderr of serve:\n%s", stderr.String())
		}
	})
	return cmd
}

// TestServe lets the SDK's client judge the program.
func TestServe(t *testing.T) {
	cmd := serve(t)
	c := connect(t, &sdk.CommandTransport{Command: cmd, TerminateDuration: patience}, "")
	judge(t, c)
	if err := c.Close(); err != nil {
		t.Errorf("at the end of input: %v", err)
	}
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestServeTwice shakes hands twice on one connection, which the SDK's client never does, and ends the input at once.
func TestServeTwice(t *testing.T) {
	cmd := serve(t)
	hello := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"judge","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/list"}
`
	cmd.Stdin = strings.NewReader(hello + hello + `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Alice"}}}` + "\n")
	timer := time.AfterFunc(patience, func() { cmd.Process.Kill() })
	defer timer.Stop()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("serve: %v", err)
	}
	counts := map[string]int{}
	for line := range strings.Lines(string(out)) {
		counts[strings.TrimSuffix(line, "\n")]++
	}
	for start, want := range map[string]int{
		`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18",`:                               2,
		`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"greet",`:                                     2,
		`{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Hello, Alice! Welcome."}]}}`: 1,
	} {
		got := 0
		for line, n := range counts {
			if strings.HasPrefix(line, start) {
				got += n
			}
		}
		if got != want {
			t.Errorf("%d answers begin with %s, want %d; all: %v", got, start, want, counts)
		}
	}
	if len(counts) != 3 {
		t.Errorf("the second handshake is answered otherwise than the first: %v", counts)
	}
}
