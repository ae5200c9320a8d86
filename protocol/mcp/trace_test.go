package mcp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
)

var update = flag.Bool("update", false, "rewrite the > lines of testdata/*.trace")

// TestTraces plays each trace to ServeLines: a "<" line is sent, and once all is quiet what was answered must be the
// ">" lines that follow. "#" lines and blank ones explain.
func TestTraces(t *testing.T) {
	files, err := filepath.Glob("testdata/*.trace")
	if err != nil || len(files) == 0 {
		t.Fatalf("no traces: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".trace"), func(t *testing.T) {
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var got []byte
			synctest.Test(t, func(t *testing.T) { got = play(t, want) })
			if bytes.Equal(got, want) {
				return
			}
			if *update {
				if err := os.WriteFile(file, got, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("the trace differs; after reading, go test -update accepts it:\n%s", difference(string(got), string(want)))
		})
	}
}

// play returns the trace with the answers of today.
func play(t *testing.T, trace []byte) []byte {
	greet := Tool{Name: "greet", Description: "Greet someone by name", InputSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)}
	list, err := greet.AppendJSON([]byte{'['})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, &shelf{list: append(list, ']')}, LinesOptions{})
	var got bytes.Buffer
	for line := range strings.Lines(string(trace)) {
		if strings.HasPrefix(line, ">") {
			continue
		}
		got.WriteString(line)
		if in, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "<"); ok {
			for _, answer := range c.send(strings.TrimPrefix(in, " ")) {
				got.WriteString("> " + answer + "\n")
			}
		}
	}
	c.in.Close()
	if lines, _, err := c.end(); err != nil || lines != nil {
		t.Errorf("the end: %v, %q", err, lines)
	}
	return got.Bytes()
}

// difference shows the first line that differs.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return " got " + g[i] + "\nwant " + w[i]
		}
	}
	return "one is longer"
}
