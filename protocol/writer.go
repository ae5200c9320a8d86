package protocol

import (
	"bytes"
	"io"
	"sync"
)

// LineWriter writes one JSON value a line, each with one Write. Safe for concurrent use.
type LineWriter struct {
	w    io.Writer
	turn chan struct{} // full while w writes

	once   sync.Once
	failed chan struct{} // closed when err stands
	err    error         // the first
}

// NewLineWriter writes to w.
func NewLineWriter(w io.Writer) *LineWriter {
	return &LineWriter{w: w, turn: make(chan struct{}, 1), failed: make(chan struct{})}
}

// lineBuffers holds the buffers that lines are encoded in. One that a huge line has grown is not kept.
var lineBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

// WriteJSON encodes v, adds a newline and writes both with one Write; it blocks as long as the peer does not read.
// After a failed write every call returns that error. A value that fails to encode writes nothing and does not break
// the writer.
//
// Line breaks inside v are written as spaces: in valid JSON they stand between values only, and would end the line.
func (w *LineWriter) WriteJSON(v Appender) error {
	buf := lineBuffers.Get().(*[]byte)
	line, err := v.AppendJSON((*buf)[:0])
	if err == nil {
		flatten(line)
		line = append(line, '\n')
		err = w.write(line)
	}
	if cap(line) <= keepBuffer {
		*buf = line[:0]
		lineBuffers.Put(buf)
	}
	return err
}

// Fail makes every later WriteJSON return err, and those that wait for another's write, unless a write failed before.
// It does not wait for the write that is under way, which may still succeed.
func (w *LineWriter) Fail(err error) {
	w.once.Do(func() {
		w.err = err
		close(w.failed)
	})
}

func (w *LineWriter) write(line []byte) error {
	select {
	case w.turn <- struct{}{}:
	case <-w.failed:
		return w.err
	}
	defer func() { <-w.turn }()
	select {
	case <-w.failed: // while both were ready
		return w.err
	default:
	}
	n, err := w.w.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err != nil {
		w.Fail(err)
	}
	return err
}

// flatten turns the line breaks of b into spaces.
func flatten(b []byte) {
	for _, c := range []byte("\n\r") {
		for i := bytes.IndexByte(b, c); i >= 0; {
			b[i] = ' '
			next := bytes.IndexByte(b[i+1:], c)
			if next < 0 {
				break
			}
			i += 1 + next
		}
	}
}
