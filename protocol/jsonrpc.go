package protocol

import "encoding/json"

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
	Params json.RawMessage // nil when missing
}

// Notification reports whether the peer expects no answer.
func (r *Request) Notification() bool { return r.ID == nil }

// Answer is the peer's response to a request of ours.
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

// Error is a JSON-RPC error object, and a Go error.
type Error struct {
	Code    int
	Message string
	Data    json.RawMessage // nil when there is none
}

func (e *Error) Error() string { return e.Message }
