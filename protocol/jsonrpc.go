package protocol

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// JSON-RPC 2.0 error codes.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeInternal       = -32603
	CodeCancelled      = -32800 // LSP's code for a cancelled request
)

// An Appender writes itself as JSON at the end of dst.
// It is how a value reaches the wire without a second encoding.
type Appender interface {
	AppendJSON(dst []byte) ([]byte, error)
}

// Raw is JSON text that is appended as it is.
type Raw []byte

// AppendJSON implements [Appender].
func (r Raw) AppendJSON(dst []byte) ([]byte, error) { return append(dst, r...), nil }

// Request is one JSON-RPC request or notification.
type Request struct {
	ID     json.RawMessage // the exact bytes, as 0, "a" or 9007199254740993; nil for a notification
	Method string
	Params json.RawMessage // an object or array; nil when missing or null
}

// Notification reports whether the peer expects no answer.
func (r *Request) Notification() bool { return r.ID == nil }

// AppendJSON writes a request or notification. Params that are no JSON object or array are an error.
func (r *Request) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if r.ID != nil {
		dst = append(dst, `,"id":`...)
		dst = append(dst, r.ID...)
	}
	dst = append(dst, `,"method":`...)
	dst = AppendString(dst, r.Method)
	if r.Params != nil {
		if k := kindOf(r.Params); k != '{' && k != '[' || !Valid(r.Params) {
			return dst, fmt.Errorf("encode %s: params are no JSON object", r.Method)
		}
		dst = append(dst, `,"params":`...)
		dst = append(dst, r.Params...)
	}
	return append(dst, '}'), nil
}

// Answer is the peer's response to a request of ours. Error is nil unless it failed.
type Answer struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *Error
}

// Response answers one [Request]. Error wins over Result; a nil Result is {}.
type Response struct {
	ID     json.RawMessage // nil leaves the member out (an acknowledgement on the control channel)
	Result Appender
	Error  *Error
}

// AppendJSON writes the response in one pass; a Result that fails to encode, or panics, becomes a -32603 error instead,
// so that the request is answered in any case. It never fails.
func (r *Response) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"jsonrpc":"2.0"`...)
	if r.ID != nil {
		dst = append(dst, `,"id":`...)
		dst = append(dst, r.ID...)
	}
	fault := r.Error
	if fault == nil {
		start := len(dst)
		out, err := appendResult(append(dst, `,"result":`...), r.Result)
		if err == nil {
			return append(out, '}'), nil
		}
		dst = dst[:start]
		fault = &Error{Code: CodeInternal, Message: "the result cannot be sent: " + err.Error()}
	}
	dst = fault.append(append(dst, `,"error":`...))
	return append(dst, '}'), nil
}

var errNoResult = errors.New("it is empty")

func appendResult(dst []byte, v Appender) (out []byte, err error) {
	if v == nil {
		return append(dst, "{}"...), nil
	}
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("its encoder broke: %v", p)
		}
	}()
	out, err = v.AppendJSON(dst)
	if err == nil && len(out) == len(dst) {
		err = errNoResult
	}
	return out, err
}

// Error is a JSON-RPC error object, and a Go error.
type Error struct {
	Code    int
	Message string
	Data    json.RawMessage // nil when there is none; what is no JSON is not sent
}

func (e *Error) Error() string { return e.Message }

// Errorf is an [Error] with a formatted message.
func Errorf(code int, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (e *Error) append(dst []byte) []byte {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = AppendString(dst, e.Message)
	if e.Data != nil && Valid(e.Data) {
		dst = append(dst, `,"data":`...)
		dst = append(dst, e.Data...)
	}
	return append(dst, '}')
}

// Brief cuts a name that a peer sent for an error text: above 100 characters it keeps the first 99 and ends in "…".
func Brief(name string) string {
	count, cut := 0, 0
	for i := range name {
		switch count {
		case 99:
			cut = i
		case 100:
			return name[:cut] + "…"
		}
		count++
	}
	return name
}

// kindOf returns the first byte of the JSON value b, which tells what it is, or 0 when b is empty.
func kindOf(b []byte) byte {
	if i := space(b, 0); i < len(b) {
		return b[i]
	}
	return 0
}
