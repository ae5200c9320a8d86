package cli

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	lossyLines = 1024                   // that wait for a reader of stderr
	lossyWait  = 500 * time.Millisecond // for the last of them, at the end
)

// lossy is the stderr of a server, which nobody may be reading: a line for which there is no room is dropped and counted, so that no call
// waits for it. Its one goroutine ends with close, or with the process when a write never returns.
type lossy struct {
	w    io.Writer
	done chan struct{}

	mu      sync.Mutex
	lines   chan []byte // nil once closed
	dropped int
}

func newLossy(w io.Writer) *lossy {
	l := &lossy{w: w, done: make(chan struct{}), lines: make(chan []byte, lossyLines)}
	go l.pump(l.lines)
	return l
}

func (l *lossy) pump(lines <-chan []byte) {
	defer close(l.done)
	for line := range lines {
		if n := l.lost(); n > 0 {
			fmt.Fprintf(l.w, "… %s dropped here: stderr was not read\n", count(n, "line"))
		}
		l.w.Write(line)
	}
}

func (l *lossy) lost() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, l.dropped = l.dropped, 0
	return n
}

// Write implements io.Writer. It never blocks and never fails.
func (l *lossy) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lines != nil {
		select {
		case l.lines <- bytes.Clone(p):
		default:
			l.dropped++
		}
	}
	return len(p), nil
}

// close waits a moment for what is left, and reports whether it was all written.
func (l *lossy) close() bool {
	l.mu.Lock()
	close(l.lines)
	l.lines = nil
	l.mu.Unlock()
	timeout := time.NewTimer(lossyWait)
	defer timeout.Stop()
	select {
	case <-l.done:
		return true
	case <-timeout.C:
		return false
	}
}
