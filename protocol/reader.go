package protocol

import (
	"bytes"
	"fmt"
	"io"
	"math"
)

// DefaultMaxLine is the longest line a LineReader takes unless told otherwise, in bytes.
const DefaultMaxLine = 64 << 20

const (
	readBuffer = 64 << 10 // what a pipe holds
	keepBuffer = 1 << 20  // a buffer above this is given back after its line
)

// LineReader splits a stream into lines of any length up to a limit. One goroutine uses it.
type LineReader struct {
	r   io.Reader
	max int

	buf        []byte
	start, end int // what is read and not yet returned: buf[start:end]
	scanned    int // buf[start:scanned] holds no newline
	err        error

	skipping bool // inside a line that was reported as too long
	partial  bool
}

// NewLineReader reads from r. max is the longest line in bytes, without its newline; 0 means DefaultMaxLine.
func NewLineReader(r io.Reader, max int) *LineReader {
	if max <= 0 {
		max = DefaultMaxLine
	}
	return &LineReader{r: r, max: min(max, math.MaxInt-2)} // two more may be "\r\n"
}

// LineTooLongError is a line above the limit. Reading can go on.
type LineTooLongError struct{ Limit int }

func (e *LineTooLongError) Error() string {
	return fmt.Sprintf("a line is longer than %d bytes (MaxLine)", e.Limit)
}

// Next returns the next line without its "\n" or "\r\n"; the slice is the caller's until the next Next. It blocks until
// a line is whole. A last line without a newline is returned like any other, with [LineReader.Partial] true. Then Next
// returns the reader's error, io.EOF at the end.
//
// A line over the limit is a *LineTooLongError, returned as soon as the limit is passed; the following Next skips the
// rest of that line.
func (r *LineReader) Next() ([]byte, error) {
	r.partial = false
	for {
		if i := bytes.IndexByte(r.buf[r.scanned:r.end], '\n'); i >= 0 {
			line := r.buf[r.start : r.scanned+i]
			r.start = r.scanned + i + 1
			r.scanned = r.start
			if r.skipping {
				r.skipping = false
				continue
			}
			return r.limited(line)
		}
		r.scanned = r.end
		if r.skipping {
			r.start = r.end
		} else if r.tooLong() {
			r.skipping = true
			return nil, &LineTooLongError{r.max}
		}
		if r.err != nil {
			return r.last()
		}
		r.fill()
	}
}

// Partial reports whether the last line had no newline, as at the end of a stream that broke off.
func (r *LineReader) Partial() bool { return r.partial }

// tooLong reports whether the unfinished line is past the limit whatever follows. One byte more may be the "\r" of a
// line that just fits.
func (r *LineReader) tooLong() bool {
	n := r.end - r.start
	return n > r.max+1 || n == r.max+1 && r.buf[r.end-1] != '\r'
}

// limited cuts the "\r" off a whole line and checks its length.
func (r *LineReader) limited(line []byte) ([]byte, error) {
	if n := len(line); n > 0 && line[n-1] == '\r' {
		line = line[:n-1]
	}
	if len(line) > r.max {
		return nil, &LineTooLongError{r.max}
	}
	return line[:len(line):len(line)], nil
}

// last returns what is left when the stream has ended: a line without a newline, or the error.
func (r *LineReader) last() ([]byte, error) {
	if r.start == r.end {
		return nil, r.err
	}
	line := r.buf[r.start:r.end]
	r.start = r.end
	r.partial = true
	return r.limited(line)
}

// fill reads once, after making room: the unfinished line moves to the front of the buffer, or of a new one that is
// larger, or smaller when a huge line has passed.
func (r *LineReader) fill() {
	held := r.end - r.start
	size := len(r.buf)
	switch {
	case size == 0 || size > keepBuffer && held <= readBuffer/2:
		size = readBuffer
	case held == size:
		// No line needs more than its limit and "\r\n".
		if size *= 2; size-2 > r.max {
			size = r.max + 2
		}
	}
	if size != len(r.buf) {
		buf := make([]byte, size)
		copy(buf, r.buf[r.start:r.end])
		r.buf = buf
		r.start, r.end = 0, held
	} else if r.start > 0 && (held == 0 || r.end == size) {
		copy(r.buf, r.buf[r.start:r.end])
		r.start, r.end = 0, held
	}
	r.scanned = r.end

	for range 100 {
		n, err := r.r.Read(r.buf[r.end:])
		r.end += n
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}
