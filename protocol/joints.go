package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"io"
)

// The declarations of this file are joints that other packages build on. Bodies follow in files of their own.

var errTODO = errors.New("not built yet")

// DefaultMaxLine is the longest line a LineReader takes unless told otherwise, in bytes.
const DefaultMaxLine = 64 << 20

// LineReader splits a stream into lines of any length up to a limit.
type LineReader struct{}

// NewLineReader reads from r. max is the longest line in bytes, without its newline; 0 means DefaultMaxLine.
func NewLineReader(r io.Reader, max int) *LineReader { return &LineReader{} }

// Next returns the next line without its "\n" (or "\r\n"); the slice is the caller's until the next Next.
// A last line without a newline is returned like any other, with [LineReader.Partial] true. At the end it returns io.EOF.
// A line over the limit is skipped to its end and reported as a *LineTooLongError; reading can go on.
func (r *LineReader) Next() ([]byte, error) { return nil, errTODO }

// Partial reports whether the last line had no newline, as at the end of a stream that broke off.
func (r *LineReader) Partial() bool { return false }

// LineTooLongError is a line above the limit.
type LineTooLongError struct{ Limit int }

func (e *LineTooLongError) Error() string { return "line too long" } // names the option

// LineWriter writes one JSON value a line, each with one Write. Safe for concurrent use.
type LineWriter struct{}

func NewLineWriter(w io.Writer) *LineWriter { return &LineWriter{} }

// WriteJSON encodes v, adds a newline and writes both with one Write. After a failed write every call returns that error.
// A value that fails to encode writes nothing and does not break the writer.
func (w *LineWriter) WriteJSON(v Appender) error { return errTODO }

// Members walks the members of the JSON object b, in order, and checks that b is exactly one valid JSON object (nested values too).
// key is unescaped; value aliases b without surrounding space. A false return of f ends the walk, the rest unchecked.
func Members(b []byte, f func(key, value []byte) bool) error { return errTODO }

// AppendString appends s as a JSON string: HTML characters stay as they are, invalid UTF-8 becomes U+FFFD.
func AppendString[S ~string | ~[]byte](dst []byte, s S) []byte { return dst }

// Unquote returns the text of the JSON string raw ("…" included). ok is false when raw is no JSON string.
func Unquote(raw []byte) (s string, ok bool) { return "", false }

// Decode reads one JSON-RPC 2.0 message: a request or notification, or the peer's answer to a request of ours.
// Duplicate members, id null, and a wrong or missing "jsonrpc" are refused (-32600), an array too (batches: -32600), what is no JSON with -32700.
// lenient accepts a missing "jsonrpc" and ignores unknown shapes where the CLI is known to be sloppy.
// The results alias b.
func Decode(b []byte, lenient bool) (*Request, *Answer, *DecodeError) { return nil, nil, nil }

// DecodeError says what is wrong with a message and which id, if any was readable, the answer must carry.
type DecodeError struct {
	ID  json.RawMessage // "null" when unknown
	Err *Error
}

func (e *DecodeError) Error() string { return e.Err.Message }

// Response returns the error answer that JSON-RPC asks for.
func (e *DecodeError) Response() *Response { return &Response{ID: e.ID, Error: e.Err} }

// AppendJSON writes the response in one pass; a Result that fails to encode becomes a -32603 error instead.
func (r *Response) AppendJSON(dst []byte) ([]byte, error) { return dst, errTODO }

// AppendJSON writes a request or notification.
func (r *Request) AppendJSON(dst []byte) ([]byte, error) { return dst, errTODO }

// Running is the table of calls that run on one connection, so that the peer can cancel them by id.
// An id that is reused while its first call runs names both.
type Running struct{}

// Begin registers a call under key and returns its context and a func that ends it. It must be called by the goroutine that reads,
// before another one runs the call, so that a cancel that follows on the wire cannot overtake it.
func (r *Running) Begin(ctx context.Context, key string) (context.Context, func()) {
	return ctx, func() {}
}

// Cancel cancels the calls under key with cause and reports whether there were any.
func (r *Running) Cancel(key string, cause error) bool { return false }
