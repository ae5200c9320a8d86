package control

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// traceLines are the lines of the CLI in the traces.
func traceLines(tb testing.TB) (lines []string) {
	files, _ := filepath.Glob("testdata/*.trace")
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			if line, ok := strings.CutPrefix(line, "< "); ok {
				lines = append(lines, strings.TrimSuffix(line, "\n"))
			}
		}
	}
	if len(lines) < 50 {
		tb.Fatalf("%d lines in the traces", len(lines))
	}
	return lines
}

// FuzzDecode: the decoder of lines agrees with encoding/json on what is a line and what its parts are; and whatever one
// line is, Serve survives it and answers at most one request, with one valid line in the nested form that names it.
func FuzzDecode(f *testing.F) {
	for _, line := range traceLines(f) {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if bytes.ContainsAny(line, "\n") || bytes.Contains(line, []byte(`"hold"`)) {
			return // two lines; a call that ends with the connection only
		}
		agree(t, line)
		var out bytes.Buffer
		if err := serveAll(t, io.MultiReader(bytes.NewReader(line), strings.NewReader("\n")), &out); err != nil {
			t.Fatal(err)
		}
		if out.Len() > 0 {
			checkAnswer(t, line, out.Bytes())
		}
	})
}

// agree compares decode with encoding/json.
func agree(t *testing.T, line []byte) {
	var want map[string]json.RawMessage
	valid := json.Unmarshal(line, &want) == nil && want != nil
	got, err := decode(line)
	if (err == nil) != valid {
		t.Fatalf("decode = %v, but encoding/json says %v", err, valid)
	}
	if !valid {
		return
	}
	var kind string
	if json.Unmarshal(want["type"], &kind) != nil {
		kind = ""
	}
	if got.kind != kind {
		t.Errorf("type %q, want %q", got.kind, kind)
	}
	for name, part := range map[string][]byte{"request_id": got.id, "request": got.request, "response": got.response} {
		if !bytes.Equal(part, want[name]) {
			t.Errorf("%s = %s, want %s", name, part, want[name])
		}
	}
}

func checkAnswer(t *testing.T, line, out []byte) {
	var in struct {
		ID json.RawMessage `json:"request_id"`
	}
	_ = json.Unmarshal(line, &in)
	var answer struct {
		Type     string
		Response struct {
			Subtype  string
			ID       json.RawMessage `json:"request_id"`
			Response json.RawMessage
			Error    string
		}
	}
	if bytes.Count(out, []byte("\n")) != 1 || out[len(out)-1] != '\n' {
		t.Fatalf("not one line: %q", out)
	}
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := answer.Response
	if answer.Type != "control_response" || !bytes.Equal(r.ID, in.ID) {
		t.Errorf("the answer %s does not fit %s", out, line)
	}
	if r.Subtype == "success" && len(r.Response) == 0 || r.Subtype == "error" && r.Error == "" {
		t.Errorf("an empty answer: %s", out)
	}
}

// FuzzMessage: what a line says to its readers never breaks, whatever its shape.
func FuzzMessage(f *testing.F) {
	for _, line := range traceLines(f) {
		f.Add([]byte(line))
	}
	for _, line := range []string{lineAgent, lineNoted, lineFailed, lineAsking, echo("a"), updated("t1", "killed")} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := decode(line)
		if err != nil {
			return
		}
		m := Message{Type: e.kind, Subtype: e.subtype, Raw: line}
		var ending Ending
		ending.Message(m)
		m.Text()
		m.Init()
		m.APIRetry()
		for _, u := range m.ToolUses() {
			if u.Input != nil && !json.Valid(u.Input) {
				t.Errorf("input %q", u.Input)
			}
		}
		for _, r := range m.ToolResults() {
			if r.Content != nil && !json.Valid(r.Content) {
				t.Errorf("content %q", r.Content)
			}
		}
		if r, ok := m.Result(); ok && r.Err() != nil && r.Err().Error() == "" {
			t.Error("a failure without a text")
		}
	})
}
