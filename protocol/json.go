package protocol

import (
	"errors"
	"fmt"
)

// maxDepth is how deep arrays and objects may nest; encoding/json has the same limit.
const maxDepth = 10000

var errTooDeep = errors.New("nested deeper than 10000 levels")

// Members walks the members of the JSON object b in order, and checks that b is exactly one valid JSON object,
// nested values included, nested no deeper than 10,000. It judges as [encoding/json.Valid] does.
//
// key is unescaped; value aliases b, without surrounding space. Members that come twice are shown twice. A false
// return of f ends the walk with a nil error and leaves the rest unchecked. Only a key with escapes or other than
// ASCII characters costs an allocation.
func Members(b []byte, f func(key, value []byte) bool) error {
	i := space(b, 0)
	if i == len(b) || b[i] != '{' {
		return fault(b, i, "want a JSON object")
	}
	if i = space(b, i+1); i < len(b) && b[i] == '}' {
		return trailing(b, i+1)
	}
	for {
		end, plain, ok := scanString(b, i)
		if !ok {
			return fault(b, end, "want a member's name")
		}
		key := b[i+1 : end-1 : end-1]
		if !plain {
			key = appendUnquoted(make([]byte, 0, len(key)), key)
		}
		if i = space(b, end); i == len(b) || b[i] != ':' {
			return fault(b, i, "want a colon")
		}
		i = space(b, i+1)
		if end, ok = skip(b, i, 1); !ok {
			return fault(b, end, "want a value")
		}
		if !f(key, b[i:end:end]) {
			return nil
		}
		if i = space(b, end); i == len(b) {
			return fault(b, i, "want a comma or }")
		}
		switch b[i] {
		case ',':
			i = space(b, i+1)
		case '}':
			return trailing(b, i+1)
		default:
			return fault(b, i, "want a comma or }")
		}
	}
}

// Elements walks the elements of the JSON array b as [Members] does the members of an object.
func Elements(b []byte, f func(value []byte) bool) error {
	i := space(b, 0)
	if i == len(b) || b[i] != '[' {
		return fault(b, i, "want a JSON array")
	}
	if i = space(b, i+1); i < len(b) && b[i] == ']' {
		return trailing(b, i+1)
	}
	for {
		end, ok := skip(b, i, 1)
		if !ok {
			return fault(b, end, "want a value")
		}
		if !f(b[i:end:end]) {
			return nil
		}
		if i = space(b, end); i == len(b) {
			return fault(b, i, "want a comma or ]")
		}
		switch b[i] {
		case ',':
			i = space(b, i+1)
		case ']':
			return trailing(b, i+1)
		default:
			return fault(b, i, "want a comma or ]")
		}
	}
}

// Valid reports whether b is exactly one JSON value. It agrees with [encoding/json.Valid] and is several times as fast.
func Valid(b []byte) bool {
	_, ok := valid(b)
	return ok
}

// valid is [Valid] with the offset of the fault.
func valid(b []byte) (end int, ok bool) {
	if end, ok = skip(b, space(b, 0), 0); ok {
		end = space(b, end)
	}
	return end, ok && end == len(b)
}

// tooDeep reports whether the array or object that begins at b[i], where a walk has found its fault, is one level too
// many. The levels are counted again, since only a fault asks for them.
func tooDeep(b []byte, i int) bool {
	if i >= len(b) || b[i] != '[' && b[i] != '{' {
		return false
	}
	level := 0
	for at := 0; at < i; at++ {
		switch b[at] {
		case '[', '{':
			level++
		case ']', '}':
			level--
		case '"':
			end, _, ok := scanString(b, at)
			if !ok {
				return false
			}
			at = end - 1
		}
	}
	return level >= maxDepth
}

// IsObject reports whether b is exactly one valid JSON object.
func IsObject(b []byte) bool {
	i := space(b, 0)
	return i < len(b) && b[i] == '{' && Valid(b)
}

// trailing checks that nothing but space follows the value that ends at i.
func trailing(b []byte, i int) error {
	if i = space(b, i); i < len(b) {
		return fault(b, i, "want the end")
	}
	return nil
}

// fault is the error for what stands at b[i].
func fault(b []byte, i int, want string) error {
	if tooDeep(b, i) {
		return errTooDeep
	}
	if i >= len(b) {
		return fmt.Errorf("%s, but the text ends after %d bytes", want, len(b))
	}
	return fmt.Errorf("%s at byte %d, not %q", want, i, b[i])
}

// space returns the offset of the first byte from i on that is no JSON space, or len(b).
func space(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// skip returns the offset after the value that starts at b[i], inside depth open arrays and objects. When there is
// no valid value it returns the offset of the fault and false.
func skip(b []byte, i, depth int) (end int, ok bool) {
	// The lowest bit tells whether the innermost container is an object. Below 64 levels skip calls itself, so that
	// no depth needs memory from the heap.
	var objects uint64
	level := 0
	for {
		if i >= len(b) {
			return i, false
		}
		ok = true
		switch c := b[i]; c {
		case '"':
			i, _, ok = scanString(b, i)
		case '{', '[':
			if depth+level >= maxDepth {
				return i, false
			}
			if level == 64 {
				i, ok = skip(b, i, depth+level)
				break
			}
			j := space(b, i+1)
			if j < len(b) && b[j] == c+2 { // '{'+2 is '}', '['+2 is ']'
				i = j + 1
				break
			}
			i = j
			level++
			if objects <<= 1; c == '{' {
				objects |= 1
				if i, ok = scanName(b, i); !ok {
					return i, false
				}
			}
			continue
		case 't':
			i, ok = scanWord(b, i, "true")
		case 'f':
			i, ok = scanWord(b, i, "false")
		case 'n':
			i, ok = scanWord(b, i, "null")
		default:
			i, ok = scanNumber(b, i)
		}
		if !ok {
			return i, false
		}
		// Close what ends here, up to the next comma.
		for {
			if level == 0 {
				return i, true
			}
			if i = space(b, i); i == len(b) {
				return i, false
			}
			if b[i] == ',' {
				break
			}
			closing := byte(']')
			if objects&1 == 1 {
				closing = '}'
			}
			if b[i] != closing {
				return i, false
			}
			i++
			level--
			objects >>= 1
		}
		if i = space(b, i+1); objects&1 == 1 {
			if i, ok = scanName(b, i); !ok {
				return i, false
			}
		}
	}
}

// scanName returns the offset of the value after the name and colon at b[i].
func scanName(b []byte, i int) (end int, ok bool) {
	if i, _, ok = scanString(b, i); !ok {
		return i, false
	}
	if i = space(b, i); i == len(b) || b[i] != ':' {
		return i, false
	}
	return space(b, i+1), true
}

func scanWord(b []byte, i int, word string) (end int, ok bool) {
	for j := range len(word) {
		if i+j >= len(b) || b[i+j] != word[j] {
			return i + j, false
		}
	}
	return i + len(word), true
}

func scanNumber(b []byte, i int) (end int, ok bool) {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i, ok = scanDigits(b, i); !ok {
		return i, false
	}
	if i < len(b) && b[i] == '.' {
		if i, ok = scanDigits(b, i+1); !ok {
			return i, false
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		if i++; i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return scanDigits(b, i)
	}
	return i, true
}

// scanDigits wants at least one digit at b[i].
func scanDigits(b []byte, i int) (end int, ok bool) {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
		ok = true
	}
	return i, ok
}
