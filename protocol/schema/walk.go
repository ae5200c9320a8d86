package schema

import (
	"bytes"
	"unicode/utf8"
)

// The functions of this file walk text that a reader has found to be JSON. They check nothing.

// member is one member of an object, as it is written.
type member struct {
	name  string
	key   []byte // with its quotes
	value []byte
}

// members calls f for each member of the object raw, in order. A false return ends the walk.
func members(raw []byte, f func(m member) bool) {
	i := skipSpace(raw, 0) + 1
	for {
		i = skipSpace(raw, i)
		if raw[i] == '}' {
			return
		}
		if raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
		end := valueEnd(raw, i)
		key := raw[i:end]
		i = skipSpace(raw, skipSpace(raw, end)+1) // past the colon
		end = valueEnd(raw, i)
		if !f(member{unescape(key[1 : len(key)-1]), key, raw[i:end]}) {
			return
		}
		i = end
	}
}

// items calls f for each item of the list raw, in order. A false return ends the walk.
func items(raw []byte, f func(item []byte) bool) {
	i := skipSpace(raw, 0) + 1
	for {
		i = skipSpace(raw, i)
		if raw[i] == ']' {
			return
		}
		if raw[i] == ',' {
			i = skipSpace(raw, i+1)
		}
		end := valueEnd(raw, i)
		if !f(raw[i:end]) {
			return
		}
		i = end
	}
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// valueEnd returns the index behind the value that begins at i.
func valueEnd(b []byte, i int) int {
	depth := 0
	for ; i < len(b); i++ {
		switch b[i] {
		case '"':
			for i++; b[i] != '"'; i++ {
				if b[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of what holds a number or word
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ':', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

func trim(raw []byte) []byte { return bytes.Trim(raw, " \t\r\n") }

// stringOf returns the text of raw when that is a JSON string.
func stringOf(raw []byte) (s string, ok bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	return unescape(raw[1 : len(raw)-1]), true
}

// appendString appends s as a JSON string. HTML characters stay as they are; what is not UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range s { // an invalid byte comes as utf8.RuneError
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		default:
			dst = utf8.AppendRune(dst, c)
		}
	}
	return append(dst, '"')
}
