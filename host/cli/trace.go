package cli

import (
	"fmt"
	"os"
	"sync"
)

// traceFile keeps every line of a session, both ways, as it looks on the wire: < came from the CLI, > went to it.
// It may hold secrets, so only its owner can read it.
type traceFile struct {
	mu sync.Mutex
	f  *os.File
}

// openTrace opens the file of --trace; without the flag it is a trace that keeps nothing.
func (a *app) openTrace() (*traceFile, error) {
	if a.opt.trace == "" {
		return &traceFile{}, nil
	}
	f, err := os.OpenFile(a.opt.trace, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("--trace: %w", err)
	}
	return &traceFile{f: f}, nil
}

// Line writes one line.
func (t *traceFile) Line(out bool, line []byte) {
	if t.f == nil {
		return
	}
	mark := "< "
	if out {
		mark = "> "
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintf(t.f, "%s%s\n", mark, line)
}

// Close closes the file.
func (t *traceFile) Close() error {
	if t.f == nil {
		return nil
	}
	return t.f.Close()
}
