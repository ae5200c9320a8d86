package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Limits of JSON that comes from outside. A number's exponent and length are bounded because the exact fractions of the
// schema library make 1e999999 cost seconds.
const (
	maxBytes    = 64 << 20
	maxDepth    = 100
	maxNodes    = 1_000_000
	maxExponent = 400
	maxNumber   = 1000 // bytes of one number
)

// InputError says why a text is refused before any schema looks at it: it is no JSON, or it is over a limit.
type InputError struct {
	Offset  int // byte at which reading stopped; -1 when it is the whole
	Problem string
}

func (e *InputError) Error() string {
	if e.Offset < 0 {
		return e.Problem
	}
	return fmt.Sprintf("%s at byte %d", e.Problem, e.Offset)
}

// reader reads JSON text once, strictly and within limits. Its methods return false after the first fault, which err then
// tells; nothing is allocated on the way unless a value is built.
type reader struct {
	b        []byte
	i        int
	depth    int
	nodes    int
	deepest  int  // the deepest nesting met
	longest  int  // items of the longest list met
	lacking  bool // the rules met an object that lacks a default
	maxDepth int
	maxNodes int
	fault    string // of the first fault
	at       int
}

func newReader(b []byte) reader {
	return reader{b: b, maxDepth: maxDepth, maxNodes: maxNodes}
}

func (r *reader) fail(fault string) bool {
	if r.fault == "" {
		r.fault, r.at = fault, r.i
	}
	return false
}

// err is the first fault.
func (r *reader) err() error { return &InputError{r.at, r.fault} }

// space skips white space and returns the next byte, 0 at the end.
func (r *reader) space() byte {
	for r.i < len(r.b) {
		switch c := r.b[r.i]; c {
		case ' ', '\t', '\n', '\r':
			r.i++
		default:
			return c
		}
	}
	return 0
}

// end reports whether nothing but space is left.
func (r *reader) end() bool {
	r.space()
	return r.i == len(r.b) || r.fail("something follows the JSON value")
}

// node counts one value.
func (r *reader) node() bool {
	r.nodes++
	return r.nodes <= r.maxNodes || r.fail(fmt.Sprintf("more than %d values", r.maxNodes))
}

// enter steps into a list or object, after its bracket.
func (r *reader) enter() bool {
	r.i++
	r.depth++
	r.deepest = max(r.deepest, r.depth)
	return r.depth <= r.maxDepth || r.fail(fmt.Sprintf("nested deeper than %d levels", r.maxDepth))
}

// more reads what stands between the members of a list or object that ends with closing. It returns false at the end (past
// the bracket) and on a fault.
func (r *reader) more(closing byte, first bool) bool {
	switch c := r.space(); {
	case c == closing:
		r.i++
		r.depth--
		return false
	case first:
		return true
	case c != ',':
		return r.fail("want a comma or the closing bracket")
	}
	r.i++
	if r.space() == closing {
		return r.fail("a comma before the closing bracket")
	}
	return true
}

// key reads a member's name and its colon.
func (r *reader) key() (name []byte, plain, ok bool) {
	if r.space() != '"' {
		return nil, false, r.fail("want a member's name in quotes")
	}
	name, plain, ok = r.text()
	if !ok {
		return nil, false, false
	}
	if r.space() != ':' {
		return nil, false, r.fail("want a colon")
	}
	r.i++
	return name, plain, true
}

// text reads a string, whose opening quote is next, and returns what stands between the quotes. plain is false when that
// holds escapes.
func (r *reader) text() (s []byte, plain, ok bool) {
	start := r.i + 1
	plain, ascii := true, true
	for i := start; i < len(r.b); i++ {
		switch c := r.b[i]; {
		case c == '"':
			r.i = i + 1
			if s = r.b[start:i]; !ascii && !utf8.Valid(s) {
				return nil, false, r.fail("a string that is not UTF-8")
			}
			return s, plain, true
		case c == '\\':
			plain = false
			n := escape(r.b[i:])
			if n == 0 {
				r.i = i
				return nil, false, r.fail("an unknown escape in a string")
			}
			i += n - 1
		case c < 0x20:
			r.i = i
			return nil, false, r.fail("a control character in a string")
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return nil, false, r.fail("a string without its closing quote")
}

// escape returns the length of the escape that begins b, 0 when it is none.
func escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) < 6 {
			return 0
		}
		for _, c := range b[2:6] {
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
				return 0
			}
		}
		return 6
	}
	return 0
}

// number reads a number. whole is true when it is written without point and exponent.
func (r *reader) number() (digits []byte, whole, ok bool) {
	b, i := r.b, r.i
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i < len(b) && b[i] == '0':
		i++
	case i < len(b) && b[i] >= '1' && b[i] <= '9':
		i = digitsEnd(b, i)
	default:
		return nil, false, r.fail("want a JSON value")
	}
	whole = true
	large := false // perhaps beyond a float
	if i < len(b) && b[i] == '.' {
		whole = false
		after := i + 1
		if i = digitsEnd(b, after); i == after {
			return nil, false, r.fail("a number without digits after its point")
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		whole = false
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		first := i
		if i = digitsEnd(b, first); i == first {
			return nil, false, r.fail("a number without digits in its exponent")
		}
		e := exponent(b[first:i])
		if e > maxExponent {
			return nil, false, r.fail(fmt.Sprintf("a number with an exponent beyond %d", maxExponent))
		}
		large = e >= 100
	}
	if digits = b[r.i:i]; len(digits) > maxNumber {
		return nil, false, r.fail(fmt.Sprintf("a number of more than %d characters", maxNumber))
	}
	// Lua keeps integers of any length by their digits, and every other number as a float.
	if !whole && (large || len(digits) > 200) {
		if _, err := strconv.ParseFloat(string(digits), 64); err != nil {
			return nil, false, r.fail("a number too large for a float")
		}
	}
	r.i = i
	return digits, whole, true
}

func digitsEnd(b []byte, i int) int {
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	return i
}

// exponent returns the number that the digits say, or something beyond every limit.
func exponent(digits []byte) int {
	n := 0
	for _, c := range digits {
		if n = n*10 + int(c-'0'); n > maxExponent {
			return n
		}
	}
	return n
}

// word reads true, false or null.
func (r *reader) word(w string) bool {
	if len(r.b)-r.i < len(w) || string(r.b[r.i:r.i+len(w)]) != w {
		return r.fail("want a JSON value")
	}
	r.i += len(w)
	return true
}

// skip reads any value without building it, as strictly as decode does.
func (r *reader) skip() bool {
	c := r.space()
	if !r.node() {
		return false
	}
	switch c {
	case '{':
		return r.skipObject()
	case '[':
		if !r.enter() {
			return false
		}
		n := 0
		for r.more(']', n == 0) {
			if !r.skip() {
				return false
			}
			n++
		}
		r.longest = max(r.longest, n)
		return r.fault == ""
	case '"':
		_, _, ok := r.text()
		return ok
	case 't':
		return r.word("true")
	case 'f':
		return r.word("false")
	case 'n':
		return r.word("null")
	}
	_, _, ok := r.number()
	return ok
}

func (r *reader) skipObject() bool {
	if !r.enter() {
		return false
	}
	var seen keySet
	for first := true; r.more('}', first); first = false {
		at := r.i
		name, plain, ok := r.key()
		if !ok {
			return false
		}
		if !plain {
			name = []byte(unescape(name))
		}
		if !seen.add(name) {
			r.i = at
			return r.fail(repeated(name))
		}
		if !r.skip() {
			return false
		}
	}
	return r.fault == ""
}

func repeated[S ~string | ~[]byte](name S) string {
	return fmt.Sprintf("the member %s twice in one object", quote(string(name)))
}

// keySet finds a name that comes twice. The first few names cost no allocation.
type keySet struct {
	few  [8][]byte
	n    int
	many map[string]struct{}
}

// add reports whether name is new.
func (k *keySet) add(name []byte) bool {
	if k.many == nil {
		for _, have := range k.few[:k.n] {
			if bytes.Equal(have, name) {
				return false
			}
		}
		if k.n < len(k.few) {
			k.few[k.n] = name
			k.n++
			return true
		}
		k.many = make(map[string]struct{}, 2*len(k.few))
		for _, have := range k.few {
			k.many[string(have)] = struct{}{}
		}
	}
	if _, old := k.many[string(name)]; old {
		return false
	}
	k.many[string(name)] = struct{}{}
	return true
}

// unescape returns the text of what stands between the quotes of a JSON string. Half of a surrogate pair becomes U+FFFD.
func unescape(s []byte) string {
	if bytes.IndexByte(s, '\\') < 0 {
		return string(s)
	}
	quoted := make([]byte, 0, len(s)+2)
	quoted = append(append(append(quoted, '"'), s...), '"')
	var text string
	if err := json.Unmarshal(quoted, &text); err != nil {
		return string(s) // not reached: text has checked it
	}
	return text
}
