package luajson

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// str reads a string at its quote. Without escapes it aliases the text.
func (d *decoder) str() (string, bool) {
	s, start := d.s, d.i+1
	for i := start; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			if !d.fits(i - start) {
				return "", false
			}
			d.i = i + 1
			return s[start:i], true
		case c == '\\':
			return d.escaped(start, i)
		case c < ' ':
			d.i = i
			return "", d.fail("a control character in a string must be escaped")
		}
	}
	d.i = len(s)
	return "", d.fail("want the end of a string")
}

// fits reports whether a string of n bytes may be; d stands at its quote.
func (d *decoder) fits(n int) bool {
	if most := d.limits.String; most > 0 && n > most {
		d.fail("a string of " + strconv.Itoa(n) + " bytes, more than the " + strconv.Itoa(most) + " that one string may have")
		d.err.cause = ErrTooLarge
		return false
	}
	return true
}

// escaped reads on at the first backslash, i, of the string that begins at start.
func (d *decoder) escaped(start, i int) (string, bool) {
	s := d.s
	buf := append(d.buf[:0], s[start:i]...)
	defer func() { d.buf = buf }()
	for i < len(s) {
		c := s[i]
		i++
		switch {
		case c == '"':
			if !d.fits(len(buf)) {
				return "", false
			}
			d.i = i
			if d.charge != nil {
				d.charge(len(buf))
			}
			return string(buf), true
		case c < ' ':
			d.i = i - 1
			return "", d.fail("a control character in a string must be escaped")
		case c != '\\':
			buf = append(buf, c)
			continue
		case i == len(s):
			continue
		}
		c = s[i]
		i++
		if c == 'u' {
			r, ok := hex4(s, i)
			if !ok {
				d.i = i
				return "", d.fail("want four hexadecimal digits")
			}
			i += 4
			if utf16.IsSurrogate(r) && i+2 <= len(s) && s[i] == '\\' && s[i+1] == 'u' {
				low, _ := hex4(s, i+2)
				if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
					r = pair
					i += 6
				}
			}
			buf = utf8.AppendRune(buf, r) // a lone surrogate becomes U+FFFD
			continue
		}
		plain := unescaped[c]
		if plain == 0 {
			d.i = i - 1
			return "", d.fail("no such escape")
		}
		buf = append(buf, plain)
	}
	d.i = len(s)
	return "", d.fail("want the end of a string")
}

// unescaped[c] is what the escape \c stands for; 0 means that there is none.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

func hex4(s string, i int) (r rune, ok bool) {
	if i+4 > len(s) {
		return 0, false
	}
	for _, c := range []byte(s[i : i+4]) {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}
