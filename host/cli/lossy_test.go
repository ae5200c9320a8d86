package cli

import (
	"io"
	"strings"
	"testing"
	"testing/synctest"
)

func TestAServerDoesNotWaitForItsStderr(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe() // nobody reads
		l := newLossy(w)
		for range 3 * lossyLines {
			io.WriteString(l, "a line\n")
		}
		if l.close() {
			t.Error("closed as if all had been written")
		}
		io.WriteString(l, "after the end\n")

		// Somebody reads at last: what there was room for comes, and where lines are missing it is said.
		go func() { <-l.done; w.Close() }()
		b, _ := io.ReadAll(r)
		if n := strings.Count(string(b), "a line\n"); n < lossyLines || n > lossyLines+1 {
			t.Errorf("%d lines came", n)
		}
		if !strings.Contains(string(b), "lines dropped here: stderr was not read") {
			t.Errorf("nothing says that lines are missing: %.200s", b)
		}
	})
}
