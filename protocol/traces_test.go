package protocol

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// traceLines are the lines in the traces of the two channels, both ways, as seeds.
func traceLines(tb testing.TB) (lines []string) {
	for _, pattern := range []string{"control/testdata/*.trace", "mcp/testdata/*.trace"} {
		files, _ := filepath.Glob(pattern)
		if len(files) == 0 {
			tb.Fatalf("no traces in %s", pattern)
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				tb.Fatal(err)
			}
			for line := range strings.Lines(string(b)) {
				if kind, line, ok := strings.Cut(line, " "); ok && (kind == "<" || kind == ">") {
					lines = append(lines, strings.TrimSuffix(line, "\n"))
				}
			}
		}
	}
	return lines
}
