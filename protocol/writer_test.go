package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
)

// writes keeps each Write apart.
type writes struct {
	mu    sync.Mutex
	lines []string
	err   error
	short bool
}

func (w *writes) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lines = append(w.lines, string(p))
	if w.short {
		return len(p) - 1, nil
	}
	return len(p), w.err
}

type failing struct{}

func (failing) AppendJSON(dst []byte) ([]byte, error) {
	return append(dst, "half"...), errors.New("no JSON for this")
}

func TestLineWriter(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
	}{
		{"a value and its newline are one write", `{"a":1}`, `{"a":1}` + "\n"},
		{"line breaks between values become spaces", "{\n\"a\":\r\n1\n}", `{ "a":  1 }` + "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var w writes
			if err := NewLineWriter(&w).WriteJSON(Raw(tt.in)); err != nil {
				t.Fatal(err)
			}
			if len(w.lines) != 1 || w.lines[0] != tt.want {
				t.Errorf("wrote %q, want %q at once", w.lines, tt.want)
			}
		})
	}
}

func TestLineWriterErrors(t *testing.T) {
	broken := errors.New("broken pipe")
	t.Run("a value that fails to encode writes nothing and breaks nothing", func(t *testing.T) {
		var w writes
		lines := NewLineWriter(&w)
		if err := lines.WriteJSON(failing{}); err == nil {
			t.Error("no error")
		}
		if err := lines.WriteJSON(Raw("{}")); err != nil {
			t.Error(err)
		}
		if got := fmt.Sprint(w.lines); got != "[{}\n]" {
			t.Errorf("wrote %q", got)
		}
	})
	t.Run("a failed write is remembered", func(t *testing.T) {
		w := writes{err: broken}
		lines := NewLineWriter(&w)
		for range 2 {
			if err := lines.WriteJSON(Raw("{}")); err != broken {
				t.Errorf("error = %v, want %v", err, broken)
			}
		}
		if len(w.lines) != 1 {
			t.Errorf("%d writes, want one", len(w.lines))
		}
	})
	t.Run("a short write is a failed write", func(t *testing.T) {
		if err := NewLineWriter(&writes{short: true}).WriteJSON(Raw("{}")); err != io.ErrShortWrite {
			t.Errorf("error = %v, want %v", err, io.ErrShortWrite)
		}
	})
	t.Run("after Fail nothing is written", func(t *testing.T) {
		var w writes
		lines := NewLineWriter(&w)
		lines.Fail(broken)
		lines.Fail(io.EOF)
		if err := lines.WriteJSON(Raw("{}")); err != broken {
			t.Errorf("error = %v, want %v", err, broken)
		}
		if len(w.lines) != 0 {
			t.Errorf("wrote %q", w.lines)
		}
	})
}

func TestLineWriterKeepsLinesWhole(t *testing.T) {
	var w writes
	lines := NewLineWriter(&w)
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			if err := lines.WriteJSON(Raw(strings.Repeat(string(rune('a'+i%26)), 1+i*100))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(w.lines) != 200 {
		t.Fatalf("%d writes, want 200", len(w.lines))
	}
	for _, line := range w.lines {
		if want := strings.Repeat(line[:1], len(line)-1) + "\n"; line != want {
			t.Fatalf("a line is mixed: %.80q", line)
		}
	}
}

func BenchmarkLineWriter(b *testing.B) {
	res := &Response{ID: []byte("7"), Result: Raw(`{"content":[{"type":"text","text":"Hello, Alice! Welcome."}]}`)}
	var out bytes.Buffer
	lines := NewLineWriter(&out)
	b.ReportAllocs()
	for b.Loop() {
		out.Reset()
		if err := lines.WriteJSON(res); err != nil {
			b.Fatal(err)
		}
	}
}
