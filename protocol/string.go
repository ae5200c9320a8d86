package protocol

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

// special sets the high bit of the first byte of the word x that is a quote, a backslash or a control character,
// and perhaps of bytes after it; zero means that x has none.
func special(x uint64) uint64 {
	quote := x ^ lowBits*'"'
	slash := x ^ lowBits*'\\'
	return ((quote-lowBits)&^quote | (slash-lowBits)&^slash | (x-lowBits*' ')&^x) & highBits
}

// scanString returns the offset after the string whose opening quote is b[i], or the offset of the fault. plain says
// that the text stands between the quotes as it is: no escapes, nothing but ASCII.
func scanString(b []byte, i int) (end int, plain, ok bool) {
	if i >= len(b) || b[i] != '"' {
		return i, false, false
	}
	plain = true
	for i++; i < len(b); {
		for i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			if special(x) != 0 {
				break
			}
			if x&highBits != 0 {
				plain = false
			}
			i += 8
		}
		for n := 0; n < 8 && i < len(b); n++ {
			switch c := b[i]; {
			case c == '"':
				return i + 1, plain, true
			case c == '\\':
				plain = false
				if i, ok = scanEscape(b, i); !ok {
					return i, false, false
				}
				continue
			case c < ' ':
				return i, false, false
			case c >= utf8.RuneSelf:
				plain = false
			}
			i++
		}
	}
	return i, false, false
}

// scanEscape returns the offset after the escape whose backslash is b[i].
func scanEscape(b []byte, i int) (end int, ok bool) {
	if i++; i >= len(b) {
		return i, false
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1, true
	case 'u':
		for j := i + 1; j < i+5; j++ {
			if j >= len(b) || hexValue(b[j]) < 0 {
				return j, false
			}
		}
		return i + 5, true
	}
	return i, false
}

func hexValue(c byte) rune {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0')
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// Unquote returns the text of the JSON string raw, quotes included. ok is false when raw is no JSON string. Bytes that
// are no UTF-8 and lone surrogates become U+FFFD, as in encoding/json.
func Unquote(raw []byte) (s string, ok bool) {
	end, plain, ok := scanString(raw, 0)
	if !ok || end != len(raw) {
		return "", false
	}
	text := raw[1 : end-1]
	if plain {
		return string(text), true
	}
	return string(appendUnquoted(make([]byte, 0, len(text)), text)), true
}

// appendUnquoted appends the text that stands between the quotes of a string which scanString has approved.
func appendUnquoted(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\\' && text[i+1] == 'u':
			r := hex4(text[i+2:])
			i += 6
			if utf16.IsSurrogate(r) {
				low := rune(-1)
				if i+6 <= len(text) && text[i] == '\\' && text[i+1] == 'u' {
					low = hex4(text[i+2:])
				}
				if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
					i += 6
				}
			}
			dst = utf8.AppendRune(dst, r)
		case c == '\\':
			dst = append(dst, unescaped(text[i+1]))
			i += 2
		case c < utf8.RuneSelf:
			dst = append(dst, c)
			i++
		default:
			r, size := utf8.DecodeRune(text[i:])
			dst = utf8.AppendRune(dst, r)
			i += size
		}
	}
	return dst
}

func hex4(b []byte) rune {
	return hexValue(b[0])<<12 | hexValue(b[1])<<8 | hexValue(b[2])<<4 | hexValue(b[3])
}

// unescaped is what backslash c stands for.
func unescaped(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c // quote, backslash, slash
}

// AppendString appends s as a JSON string. It writes what encoding/json writes without HTML escaping: bytes that are
// no UTF-8 become \ufffd, and U+2028 and U+2029 are escaped, since readers that know more line ends than "\n" would
// break the line there.
func AppendString[S ~string | ~[]byte](dst []byte, s S) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start, i := 0, 0
	for i < len(s) {
		for i+8 <= len(s) {
			x := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
				uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
			if special(x)|x&highBits != 0 {
				break
			}
			i += 8
		}
		for n := 0; n < 8 && i < len(s); n++ {
			c := s[i]
			if c >= utf8.RuneSelf {
				r, size := utf8.DecodeRuneInString(string(s[i:min(i+utf8.UTFMax, len(s))]))
				if size == 1 || r == '\u2028' || r == '\u2029' {
					dst = append(dst, s[start:i]...)
					if size == 1 {
						dst = append(dst, `\ufffd`...)
					} else {
						dst = append(dst, '\\', 'u', '2', '0', '2', hex[r&0xF])
					}
					start = i + size
				}
				i += size
				continue
			}
			if c >= ' ' && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			switch c {
			case '"', '\\':
				dst = append(dst, '\\', c)
			case '\b':
				dst = append(dst, '\\', 'b')
			case '\f':
				dst = append(dst, '\\', 'f')
			case '\n':
				dst = append(dst, '\\', 'n')
			case '\r':
				dst = append(dst, '\\', 'r')
			case '\t':
				dst = append(dst, '\\', 't')
			default:
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xF])
			}
			i++
			start = i
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
