package luajson

import (
	"math"
	"slices"
	"strconv"
	"sync"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

// DecodeOptions says how JSON becomes Lua. The zero value works.
type DecodeOptions struct {
	Limits Limits

	// Nulls says what becomes of null members of objects. A null in a list is Null in any case.
	Nulls Nulls

	// Charge is told of memory, in bytes, before it is made; it may panic. Nil means that nobody counts.
	Charge func(bytes int)
}

// Nulls says what becomes of null members of objects.
type Nulls uint8

const (
	NullsAbsent Nulls = iota // left out; a null that is the whole text is nil
	NullsBelow               // left out of the outermost object, Null further down: the arguments of a tool
	NullsKept                // Null
)

// maxExponent bounds exponents either way. Arguments are judged with exact fractions, which 1e999999 would make enormous.
const maxExponent = 400

// Decode reads one JSON value. Its strings share one copy of b, so keeping one of them keeps the whole text. The JSON is
// taken strictly: UTF-8 only, no member twice, nothing behind the value. Lone surrogates (\ud800) become U+FFFD.
// An error is a *SyntaxError.
func Decode(b []byte, o DecodeOptions) (lua.LValue, error) {
	limits := o.Limits.withDefaults()
	if len(b) > limits.Bytes {
		return lua.LNil, &SyntaxError{limits.Bytes, "the text has " + strconv.Itoa(len(b)) + " bytes, more than " + strconv.Itoa(limits.Bytes), ErrTooLarge}
	}
	if !utf8.Valid(b) {
		return lua.LNil, &SyntaxError{invalidUTF8(b), "this is no valid UTF-8", nil}
	}
	if o.Charge != nil {
		o.Charge(len(b))
	}
	d := decoders.Get().(*decoder)
	d.s, d.limits, d.nulls, d.charge = string(b), limits, o.Nulls, o.Charge
	v, ok := d.whole()
	if !ok {
		return lua.LNil, d.err // its stacks are not clear: another decoder takes its place
	}
	d.reset()
	if v == lua.LValue(Null) && o.Nulls != NullsKept {
		return lua.LNil, nil
	}
	return v, nil
}

// decoders keeps the stacks of ended conversions, so that members can be counted before their table is made.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

type decoder struct {
	s      string // the text; strings without escapes alias it
	i      int
	depth  int
	nodes  int
	nulls  Nulls
	limits Limits
	charge func(int)
	err    *SyntaxError

	values []lua.LValue // members and elements of the containers under way
	keys   []string     // of the members
	buf    []byte       // of a string with escapes
}

// reset readies d for another text and gives it back. Its stacks are empty and clear; large ones are not kept.
func (d *decoder) reset() {
	const most = 1 << 14
	values, keys, buf := d.values, d.keys, d.buf[:0]
	if cap(values) > most || cap(buf) > most {
		values, keys, buf = nil, nil, nil
	}
	*d = decoder{values: values, keys: keys, buf: buf}
	decoders.Put(d)
}

func (d *decoder) whole() (lua.LValue, bool) {
	v, ok := d.value()
	if !ok {
		return nil, false
	}
	if d.space(); d.i < len(d.s) {
		return nil, d.fail("want the end of the text")
	}
	return v, true
}

// fail notes the fault at the present byte; it returns false.
func (d *decoder) fail(message string) bool {
	d.err = &SyntaxError{Offset: d.i, Message: message}
	if d.i >= len(d.s) {
		d.err.Message = "the text ends too early: " + message
	}
	return false
}

func (d *decoder) space() {
	for d.i < len(d.s) {
		switch d.s[d.i] {
		case ' ', '\n', '\r', '\t':
			d.i++
		default:
			return
		}
	}
}

func (d *decoder) value() (lua.LValue, bool) {
	d.space()
	if d.i >= len(d.s) {
		return nil, d.fail("want a value")
	}
	if d.nodes++; d.nodes > d.limits.Nodes {
		return nil, d.fail("more than " + strconv.Itoa(d.limits.Nodes) + " values")
	}
	switch d.s[d.i] {
	case '{':
		return d.container((*decoder).object)
	case '[':
		return d.container((*decoder).array)
	case '"':
		s, ok := d.str()
		return lua.LString(s), ok
	case 't':
		return lua.LTrue, d.literal("true")
	case 'f':
		return lua.LFalse, d.literal("false")
	case 'n':
		return Null, d.literal("null")
	}
	return d.number()
}

func (d *decoder) literal(word string) bool {
	if len(d.s)-d.i < len(word) || d.s[d.i:d.i+len(word)] != word {
		return d.fail("want a value")
	}
	d.i += len(word)
	return true
}

// container reads an object or array behind its bracket, one level deeper.
func (d *decoder) container(read func(*decoder) (*lua.LTable, bool)) (lua.LValue, bool) {
	if d.depth++; d.depth > d.limits.Depth {
		return nil, d.fail("nested deeper than " + strconv.Itoa(d.limits.Depth) + " levels")
	}
	d.i++
	t, ok := read(d)
	d.depth--
	return t, ok
}

// next reads what follows an element: more is true at a comma.
func (d *decoder) next(end byte) (more, ok bool) {
	if d.space(); d.i < len(d.s) {
		switch d.s[d.i] {
		case ',':
			d.i++
			return true, true
		case end:
			d.i++
			return false, true
		}
	}
	return false, d.fail("want a comma or " + string(end))
}

// Rough sizes of gopher-lua's tables for DecodeOptions.Charge: an empty table, an element, a member.
const (
	tableBytes   = 112
	elementBytes = 40
	memberBytes  = 160
)

func (d *decoder) table(elements, members int) *lua.LTable {
	if d.charge != nil {
		d.charge(tableBytes + elements*elementBytes + members*memberBytes)
	}
	return maker.CreateTable(elements, members)
}

func (d *decoder) array() (*lua.LTable, bool) {
	first := len(d.values)
	if d.space(); d.i < len(d.s) && d.s[d.i] == ']' {
		d.i++
		t := d.table(0, 0)
		MarkArray(t)
		return t, true
	}
	for {
		v, ok := d.value()
		if !ok {
			return nil, false
		}
		d.values = append(d.values, v)
		more, ok := d.next(']')
		if !ok {
			return nil, false
		}
		if !more {
			break
		}
	}
	elements := d.values[first:]
	t := d.table(len(elements), 0)
	MarkArray(t)
	for _, v := range elements {
		t.Append(v)
	}
	clear(elements)
	d.values = d.values[:first]
	return t, true
}

func (d *decoder) object() (*lua.LTable, bool) {
	firstKey, firstValue := len(d.keys), len(d.values)
	if d.space(); d.i < len(d.s) && d.s[d.i] == '}' {
		d.i++
		t := d.table(0, 0)
		MarkObject(t)
		return t, true
	}
	nulls := 0
	for {
		if d.space(); d.i >= len(d.s) || d.s[d.i] != '"' {
			return nil, d.fail("want a member's name")
		}
		at := d.i
		key, ok := d.str()
		if !ok {
			return nil, false
		}
		// The usual object is small: looking through its names is cheaper than asking the table, and finds the place.
		if seen := d.keys[firstKey:]; len(seen) < smallObject && slices.Contains(seen, key) {
			d.i = at
			return nil, d.fail("the member '" + cut(key) + "' comes twice")
		}
		if d.space(); d.i >= len(d.s) || d.s[d.i] != ':' {
			return nil, d.fail("want a colon")
		}
		d.i++
		v, ok := d.value()
		if !ok {
			return nil, false
		}
		if v == lua.LValue(Null) && d.leftOut() {
			nulls++
		}
		d.keys, d.values = append(d.keys, key), append(d.values, v)
		more, ok := d.next('}')
		if !ok {
			return nil, false
		}
		if !more {
			break
		}
	}
	keys, values := d.keys[firstKey:], d.values[firstValue:]
	t, ok := d.members(keys, values, nulls)
	clear(keys)
	clear(values)
	d.keys, d.values = d.keys[:firstKey], d.values[:firstValue]
	return t, ok
}

// leftOut reports whether null members of the object under way are left out.
func (d *decoder) leftOut() bool {
	return d.nulls == NullsAbsent || d.nulls == NullsBelow && d.depth == 1
}

// smallObject is how many members an object may have to look for a repeated name one by one.
const smallObject = 16

// members makes the table of an object, without its nulls where they are not kept.
func (d *decoder) members(keys []string, values []lua.LValue, nulls int) (*lua.LTable, bool) {
	t := d.table(0, len(keys)-nulls)
	large := len(keys) > smallObject
	for i, v := range values {
		if nulls > 0 && v == lua.LValue(Null) {
			continue
		}
		if large && t.RawGetString(keys[i]) != lua.LNil {
			return nil, d.twice(keys[i])
		}
		t.RawSetString(keys[i], v)
	}
	if nulls == len(keys) {
		MarkObject(t)
	}
	if !large || nulls == 0 {
		return t, true
	}
	var absent []string
	for i, v := range values {
		if v == lua.LValue(Null) {
			absent = append(absent, keys[i])
		}
	}
	slices.Sort(absent)
	for i, key := range absent {
		if t.RawGetString(key) != lua.LNil || i > 0 && key == absent[i-1] {
			return nil, d.twice(key)
		}
	}
	return t, true
}

// twice is the fault of a large object, whose names are compared at its end.
func (d *decoder) twice(key string) bool {
	d.i--
	return d.fail("the object that ends here has the member '" + cut(key) + "' twice")
}

// small holds the Lua values of small integers, which then need no memory of their own.
var small = func() (values [1024]lua.LValue) {
	for i := range values {
		values[i] = lua.LNumber(i)
	}
	return
}()

func (d *decoder) number() (lua.LValue, bool) {
	s, start, i := d.s, d.i, d.i
	negative := s[i] == '-'
	if negative {
		i++
	}
	first := i
	n := int64(0)
	for ; i < len(s) && isDigit(s[i]); i++ {
		n = n*10 + int64(s[i]-'0') // overflows only above 15 digits, where it is not used
	}
	if i == first {
		return nil, d.fail("want a value")
	}
	if s[first] == '0' && i-first > 1 {
		return nil, d.fail("a number must not begin with 0")
	}
	if i == len(s) || s[i] != '.' && s[i] != 'e' && s[i] != 'E' {
		d.i = i
		switch {
		case i-first > 15:
			v, _ := Integer(s[start:i])
			return v, true
		case negative:
			return lua.LNumber(-float64(n)), true // -0 stays what it is
		case n < int64(len(small)):
			return small[n], true
		}
		return lua.LNumber(n), true
	}
	if s[i] == '.' {
		i++
		for first = i; i < len(s) && isDigit(s[i]); i++ {
		}
		if i == first {
			d.i = i
			return nil, d.fail("want a digit behind the point")
		}
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		var ok bool
		if i, ok = d.exponent(i + 1); !ok {
			return nil, false
		}
	}
	f, _ := strconv.ParseFloat(s[start:i], 64)
	if math.IsInf(f, 0) {
		return nil, d.fail("the number " + cut(s[start:i]) + " is too large")
	}
	d.i = i
	return lua.LNumber(f), true
}

// exponent checks the exponent behind the e and returns the offset after it.
func (d *decoder) exponent(i int) (end int, ok bool) {
	s := d.s
	if i < len(s) && (s[i] == '+' || s[i] == '-') {
		i++
	}
	first, n := i, 0
	for ; i < len(s) && isDigit(s[i]); i++ {
		n = min(n*10+int(s[i]-'0'), maxExponent+1)
	}
	if i == first {
		d.i = i
		return i, d.fail("want a digit in the exponent")
	}
	if n > maxExponent {
		return i, d.fail("an exponent beyond " + strconv.Itoa(maxExponent))
	}
	return i, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func invalidUTF8(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}
