package protocol

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

// readLines returns what Next says until the stream ends: lines, "TOO LONG", and a mark on a partial line.
func readLines(t *testing.T, r io.Reader, max int) []string {
	t.Helper()
	lines := NewLineReader(r, max)
	var got []string
	for {
		line, err := lines.Next()
		var long *LineTooLongError
		switch {
		case err == io.EOF:
			if line != nil {
				t.Errorf("a line %q came with io.EOF", line)
			}
			return got
		case errors.As(err, &long):
			if long.Limit != max {
				t.Errorf("limit = %d, want %d", long.Limit, max)
			}
			got = append(got, "TOO LONG")
		case err != nil:
			t.Fatal(err)
		case lines.Partial():
			got = append(got, string(line)+"…")
		default:
			got = append(got, string(line))
		}
	}
}

func TestLineReader(t *testing.T) {
	const max = 8
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"nothing is no line", "", nil},
		{"one line", "{}\n", []string{"{}"}},
		{"blank lines are lines", "\n\n{}\n", []string{"", "", "{}"}},
		{"CRLF ends a line too", "a\r\nb\r\n", []string{"a", "b"}},
		{"one CR is cut, no more", "a\r\r\n", []string{"a\r"}},
		{"a CR inside a line stays", "a\rb\n", []string{"a\rb"}},
		{"a last line without its newline is partial", "a\nb", []string{"a", "b…"}},
		{"a line of just the limit fits", "12345678\n", []string{"12345678"}},
		{"a line of just the limit fits with CRLF", "12345678\r\n", []string{"12345678"}},
		{"a line of just the limit fits at the end", "12345678", []string{"12345678…"}},
		{"one byte more is too long", "123456789\nb\n", []string{"TOO LONG", "b"}},
		{"a CR that ends no line counts", "12345678\rx\nb\n", []string{"TOO LONG", "b"}},
		{"a long line is skipped to its end", strings.Repeat("x", 1000) + "\nb\n", []string{"TOO LONG", "b"}},
		{"two long lines are two reports", strings.Repeat("x", 100) + "\n" + strings.Repeat("y", 100) + "\nb\n", []string{"TOO LONG", "TOO LONG", "b"}},
		{"a long last line is reported once", "a\n" + strings.Repeat("x", 1000), []string{"a", "TOO LONG"}},
		{"bytes that are no UTF-8 pass", "\xff\xfe\n", []string{"\xff\xfe"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"whole":          strings.NewReader(tt.in),
				"byte by byte":   iotest.OneByteReader(strings.NewReader(tt.in)),
				"with the error": iotest.DataErrReader(strings.NewReader(tt.in)),
			} {
				if got := readLines(t, r, max); fmt.Sprint(got) != fmt.Sprint(tt.want) || len(got) != len(tt.want) {
					t.Errorf("%s: lines = %q, want %q", name, got, tt.want)
				}
			}
		})
	}
}

func TestLineReaderTakesLinesOf30MB(t *testing.T) {
	huge := strings.Repeat("0123456789", 3<<20)
	lines := NewLineReader(strings.NewReader("a\n"+huge+"\nb\n"+strings.Repeat("c\n", 100_000)), 0)
	for _, want := range []string{"a", huge, "b"} {
		line, err := lines.Next()
		if err != nil || string(line) != want {
			t.Fatalf("line of %d bytes, %v; want %d bytes", len(line), err, len(want))
		}
	}
	for {
		if _, err := lines.Next(); err != nil {
			break
		}
	}
	if got := cap(lines.buf); got > keepBuffer {
		t.Errorf("after the huge line the buffer holds %d bytes, want at most %d", got, keepBuffer)
	}
}

func TestLineReaderHoldsNoMoreThanTheLimit(t *testing.T) {
	const max = 1<<20 + 7
	lines := NewLineReader(strings.NewReader(strings.Repeat("x", max)+"\r\nb"), max)
	if line, err := lines.Next(); err != nil || len(line) != max {
		t.Fatalf("line of %d bytes, %v; want %d", len(line), err, max)
	}
	if got := cap(lines.buf); got > max+2 {
		t.Errorf("the buffer holds %d bytes for a line of %d", got, max)
	}
	if line, err := lines.Next(); err != nil || string(line) != "b" {
		t.Errorf("the next line is %q, %v", line, err)
	}
}

func TestLineReaderWithoutLimit(t *testing.T) {
	if line, err := NewLineReader(strings.NewReader("a\n"), math.MaxInt).Next(); err != nil || string(line) != "a" {
		t.Errorf("Next = %q, %v", line, err)
	}
}

// endless is a line without an end.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	e.read += len(p)
	return copy(p, bytes.Repeat([]byte{'x'}, len(p))), nil
}

func TestLineReaderReportsAnEndlessLineAtTheLimit(t *testing.T) {
	source := &endless{}
	_, err := NewLineReader(source, 1<<20).Next()
	var long *LineTooLongError
	if !errors.As(err, &long) {
		t.Fatalf("error = %v, want a *LineTooLongError", err)
	}
	if source.read > 4<<20 {
		t.Errorf("read %d bytes before the report", source.read)
	}
	if !strings.Contains(err.Error(), "MaxLine") {
		t.Errorf("error %q does not name the option", err)
	}
}

func TestLineReaderErrors(t *testing.T) {
	t.Run("a broken stream gives its last bytes, then its error", func(t *testing.T) {
		broken := errors.New("broken")
		lines := NewLineReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(broken)), 0)
		for _, want := range []string{"a", "b"} {
			if line, err := lines.Next(); err != nil || string(line) != want {
				t.Fatalf("Next = %q, %v; want %q", line, err, want)
			}
		}
		for range 2 {
			if _, err := lines.Next(); err != broken {
				t.Fatalf("error = %v, want that of the stream", err)
			}
		}
	})
	t.Run("a reader that gives nothing for ever is an error", func(t *testing.T) {
		if _, err := NewLineReader(idle{}, 0).Next(); err != io.ErrNoProgress {
			t.Fatalf("error = %v, want %v", err, io.ErrNoProgress)
		}
	})
}

type idle struct{}

func (idle) Read([]byte) (int, error) { return 0, nil }

// chunks reads in pieces of random size.
type chunks struct {
	data []byte
	rnd  *rand.Rand
}

func (c *chunks) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.rnd.IntN(7))], c.data)
	c.data = c.data[n:]
	return n, nil
}

// modelLines is the slow and obvious version.
func modelLines(in []byte, max int) []string {
	var want []string
	lines := bytes.Split(in, []byte("\n"))
	for i, line := range lines {
		last := i == len(lines)-1
		if last && len(line) == 0 {
			break
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case len(line) > max:
			want = append(want, "TOO LONG")
		case last:
			want = append(want, string(line)+"…")
		default:
			want = append(want, string(line))
		}
	}
	return want
}

func FuzzLineReader(f *testing.F) {
	f.Add([]byte("{}\n\r\n{\"a\":1}\r\nlast"), 8, uint64(1))
	f.Add([]byte("12345678\r\n123456789\n"), 8, uint64(2))
	f.Add([]byte("12345678\r"), 7, uint64(3))
	for i, line := range traceLines(f) {
		f.Add([]byte(line+"\n"), 63, uint64(i))
	}
	f.Fuzz(func(t *testing.T, in []byte, max int, seed uint64) {
		max = 1 + max&0x3f
		want := modelLines(in, max)
		got := readLines(t, &chunks{in, rand.New(rand.NewPCG(seed, 0))}, max)
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Errorf("lines = %q, want %q", got, want)
		}
	})
}

func BenchmarkLineReader(b *testing.B) {
	line := append(bytes.Repeat([]byte("x"), 299), '\n')
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	lines := NewLineReader(&repeat{line: line}, 0)
	for b.Loop() {
		if _, err := lines.Next(); err != nil {
			b.Fatal(err)
		}
	}
}

// repeat gives the same line for ever.
type repeat struct {
	line []byte
	at   int
}

func (r *repeat) Read(p []byte) (n int, err error) {
	for n < len(p) {
		m := copy(p[n:], r.line[r.at:])
		r.at = (r.at + m) % len(r.line)
		n += m
	}
	return n, nil
}
