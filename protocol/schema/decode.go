package schema

import "encoding/json"

// decode reads one JSON value into the plain Go values that the schema library judges (numbers as json.Number, which keeps
// every digit), in one pass. A member that comes twice is an error, as in the Lua decoder: two readers that pick different
// ones would judge one value and run another.
func decode(b []byte) (any, *reader, error) {
	r := newReader(b)
	if len(b) > maxBytes {
		r.fail("more than 64 MiB")
		return nil, &r, r.err()
	}
	v, ok := r.value()
	if !ok || !r.end() {
		return nil, &r, r.err()
	}
	return v, &r, nil
}

// check reads b like decode and builds nothing.
func check(b []byte) error {
	r := newReader(b)
	if !r.skip() || !r.end() {
		return r.err()
	}
	return nil
}

func (r *reader) value() (any, bool) {
	c := r.space()
	if !r.node() {
		return nil, false
	}
	switch c {
	case '{':
		return r.object()
	case '[':
		return r.list()
	case '"':
		s, _, ok := r.text()
		if !ok {
			return nil, false
		}
		return unescape(s), true
	case 't':
		return true, r.word("true")
	case 'f':
		return false, r.word("false")
	case 'n':
		return nil, r.word("null")
	}
	digits, _, ok := r.number()
	if !ok {
		return nil, false
	}
	return json.Number(digits), true
}

func (r *reader) object() (any, bool) {
	if !r.enter() {
		return nil, false
	}
	m := map[string]any{}
	for first := true; r.more('}', first); first = false {
		at := r.i
		raw, _, ok := r.key()
		if !ok {
			return nil, false
		}
		name := unescape(raw)
		if _, twice := m[name]; twice {
			r.i = at
			return nil, r.fail(repeated(name))
		}
		v, ok := r.value()
		if !ok {
			return nil, false
		}
		m[name] = v
	}
	return m, r.fault == ""
}

func (r *reader) list() (any, bool) {
	if !r.enter() {
		return nil, false
	}
	l := []any{}
	for r.more(']', len(l) == 0) {
		v, ok := r.value()
		if !ok {
			return nil, false
		}
		l = append(l, v)
	}
	r.longest = max(r.longest, len(l))
	return l, r.fault == ""
}
