package luajson

import (
	"errors"
	"strconv"
	"unicode/utf8"
)

// Limits bounds a conversion. A zero field means its default.
type Limits struct {
	Depth int // of nesting, default 100
	Nodes int // values, containers included, default 1e6
	Bytes int // of JSON text, default 64 MiB

	String int // bytes of one string that is decoded, default no bound but that of the text
}

// What a zero field of Limits means.
const (
	DefaultDepth = 100
	DefaultNodes = 1_000_000
	DefaultBytes = 64 << 20
)

func (l Limits) withDefaults() Limits {
	if l.Depth == 0 {
		l.Depth = DefaultDepth
	}
	if l.Nodes == 0 {
		l.Nodes = DefaultNodes
	}
	if l.Bytes == 0 {
		l.Bytes = DefaultBytes
	}
	return l
}

// ErrTooLarge is wrapped by the errors for what is over Limits.Bytes.
var ErrTooLarge = errors.New("too large")

// SyntaxError is what is wrong with a JSON text, and where.
type SyntaxError struct {
	Offset  int // in bytes from the start
	Message string
	cause   error
}

func (e *SyntaxError) Error() string { return "at byte " + strconv.Itoa(e.Offset) + ": " + e.Message }
func (e *SyntaxError) Unwrap() error { return e.cause }

// EncodeError is a value that JSON has no form for, or that is over a limit.
type EncodeError struct {
	Path    string // "result.items[3]"
	Message string
	cause   error
}

func (e *EncodeError) Error() string { return e.Path + ": " + e.Message }
func (e *EncodeError) Unwrap() error { return e.cause }

// cut shortens a text that comes from outside for an error message.
func cut(s string) string {
	const most = 40
	if len(s) <= most {
		return s
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
