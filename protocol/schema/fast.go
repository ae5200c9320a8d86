package schema

import (
	"math"
	"math/big"
	"strconv"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// rules judge JSON text as it stands, without building a value. They exist for a schema of nothing but usual keywords, and
// they only ever accept: what they are not sure of goes to the library. nil accepts everything.
type rules struct {
	types    kinds
	enum     map[string]bool // texts of the strings that may stand here; nil: any
	scalars  []string        // the other values of the enum, as written
	text     *textRules
	number   *numberRules
	elem     *rules
	minItems int
	maxItems int
	object   *objectRules
}

type textRules struct {
	minLength, maxLength int
	pattern              *pattern
	format               *jsonschema.Format
}

type numberRules struct {
	low, high bound
	multiple  int64 // 0: any
}

// bound is one end of a range, open when exclusive. whole says that i is exact; f is the nearest float.
type bound struct {
	set, exclusive, whole bool
	i                     int64
	f                     float64
}

type objectRules struct {
	props    []propRules
	index    map[string]int // of props, when they are many
	required uint64         // by index in props
	defaults uint64
	closed   bool
	rest     *rules // of undeclared members
	min, max int    // members
}

type propRules struct {
	name  string
	rules *rules
}

const unbounded = math.MaxInt32

// makeRules compiles n for the fast way. ok is false when something in n or below is not for it.
func makeRules(n *node) (u *rules, ok bool) {
	if n == nil {
		return nil, true
	}
	c := n.compiled
	if c == nil || !n.simple || n.never {
		return nil, false
	}
	if c.Bool != nil {
		return nil, *c.Bool
	}
	u = &rules{types: n.types, minItems: least(c.MinItems), maxItems: most(c.MaxItems)}
	if u.elem, ok = makeRules(n.elem); !ok {
		return nil, false
	}
	if n.limited {
		u.takeValues(n)
	}
	if u.number, ok = numberRulesOf(c); !ok {
		return nil, false
	}
	if u.text, ok = textRulesOf(c); !ok {
		return nil, false
	}
	if u.object, ok = objectRulesOf(n, c); !ok {
		return nil, false
	}
	if u.types == anyKind && u.enum == nil && u.text == nil && u.number == nil && u.elem == nil && u.minItems == 0 && u.maxItems == unbounded && u.object == nil {
		return nil, true
	}
	return u, true
}

func least(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

func most(n *int) int {
	if n == nil {
		return unbounded
	}
	return *n
}

func (u *rules) takeValues(n *node) {
	u.enum = make(map[string]bool, len(n.values))
	for _, v := range n.values {
		if s, ok := stringOf(v); ok {
			u.enum[s] = true
		} else if kindOf(v)&(isArray|isObject) == 0 {
			u.scalars = append(u.scalars, string(v))
		}
	}
}

func numberRulesOf(c *jsonschema.Schema) (*numberRules, bool) {
	u := &numberRules{low: boundOf(c.Minimum, false), high: boundOf(c.Maximum, false)}
	for _, end := range []struct {
		b     *bound
		value *big.Rat
	}{{&u.low, c.ExclusiveMinimum}, {&u.high, c.ExclusiveMaximum}} {
		if end.value != nil {
			if end.b.set {
				return nil, false // both kinds of one end
			}
			*end.b = boundOf(end.value, true)
		}
	}
	if m := c.MultipleOf; m != nil {
		if !m.IsInt() || !m.Num().IsInt64() || m.Sign() <= 0 {
			return nil, false
		}
		u.multiple = m.Num().Int64()
	}
	if !u.low.set && !u.high.set && u.multiple == 0 {
		return nil, true
	}
	return u, true
}

func boundOf(r *big.Rat, exclusive bool) bound {
	if r == nil {
		return bound{}
	}
	b := bound{set: true, exclusive: exclusive, whole: r.IsInt() && r.Num().IsInt64()}
	if b.whole {
		b.i = r.Num().Int64()
	}
	b.f, _ = r.Float64()
	return b
}

func textRulesOf(c *jsonschema.Schema) (*textRules, bool) {
	u := &textRules{minLength: least(c.MinLength), maxLength: most(c.MaxLength), format: c.Format}
	if c.Pattern != nil {
		p, ok := c.Pattern.(*pattern)
		if !ok {
			return nil, false
		}
		u.pattern = p
	}
	if c.MinLength == nil && c.MaxLength == nil && c.Pattern == nil && c.Format == nil {
		return nil, true
	}
	return u, true
}

func objectRulesOf(n *node, c *jsonschema.Schema) (*objectRules, bool) {
	u := &objectRules{closed: n.closed, min: least(c.MinProperties), max: most(c.MaxProperties)}
	if len(n.own) > 64 {
		return nil, false
	}
	var ok bool
	if u.rest, ok = makeRules(n.rest); !ok {
		return nil, false
	}
	for i, f := range n.own {
		sub, ok := makeRules(f.node)
		if !ok {
			return nil, false
		}
		u.props = append(u.props, propRules{f.name, sub})
		if f.node.filled != nil {
			u.defaults |= 1 << i
		}
	}
	for _, name := range n.required {
		i := n.position(name)
		if i < 0 {
			return nil, false
		}
		u.required |= 1 << i
	}
	if len(u.props) > 8 {
		u.index = n.index
	}
	if len(u.props) == 0 && !u.closed && u.rest == nil && u.min == 0 && u.max == unbounded {
		return nil, true
	}
	return u, true
}

// fits judges args by the rules. ok false says nothing: then the library must be asked. r.lacking says that a default is
// to be filled in.
func (s *Schema) fits(args []byte) (r reader, ok bool) {
	if s.rules == nil || len(args) > maxBytes {
		return r, false
	}
	r = newReader(args)
	return r, s.rules.value(&r) && r.end()
}

func (u *rules) value(r *reader) bool {
	if u == nil {
		return r.skip()
	}
	c := r.space()
	if !r.node() {
		return false
	}
	switch c {
	case '{':
		return u.types&isObject != 0 && u.enum == nil && u.members(r)
	case '[':
		return u.types&isArray != 0 && u.enum == nil && u.list(r)
	case '"':
		return u.types&isString != 0 && u.string(r)
	case 't':
		return u.types&isBoolean != 0 && r.word("true") && u.scalar("true")
	case 'f':
		return u.types&isBoolean != 0 && r.word("false") && u.scalar("false")
	case 'n':
		return u.types&isNull != 0 && r.word("null") && u.scalar("null")
	}
	digits, whole, ok := r.number()
	if !ok || u.types&isInteger == 0 || !whole && u.types&isFraction == 0 {
		return false
	}
	if u.enum != nil {
		found := false
		for _, s := range u.scalars {
			found = found || s == string(digits)
		}
		if !found {
			return false
		}
	}
	return u.number == nil || u.number.fits(digits, whole)
}

// scalar reports whether the enum, if there is one, has the word.
func (u *rules) scalar(word string) bool {
	if u.enum == nil {
		return true
	}
	for _, s := range u.scalars {
		if s == word {
			return true
		}
	}
	return false
}

func (u *rules) string(r *reader) bool {
	s, plain, ok := r.text()
	if !ok {
		return false
	}
	if u.enum == nil && u.text == nil {
		return true
	}
	if !plain {
		s = []byte(unescape(s))
	}
	if u.enum != nil && !u.enum[string(s)] {
		return false
	}
	return u.text == nil || u.text.fits(s)
}

func (u *textRules) fits(s []byte) bool {
	if u.minLength > 0 || u.maxLength < len(s) {
		if n := utf8.RuneCount(s); n < u.minLength || n > u.maxLength {
			return false
		}
	}
	if u.pattern != nil && (len(s)*u.pattern.steps > maxMatching || !u.pattern.Match(s)) {
		return false
	}
	return u.format == nil || u.format.Validate(string(s)) == nil
}

func (u *numberRules) fits(digits []byte, whole bool) bool {
	if whole && len(digits) <= 18 {
		i, err := strconv.ParseInt(string(digits), 10, 64)
		return err == nil && u.low.below(i) && u.high.above(i) && (u.multiple == 0 || i%u.multiple == 0)
	}
	if u.multiple != 0 {
		return false
	}
	// Rounding keeps the order of two numbers or makes them equal, so different floats tell for sure which number is larger.
	f, err := strconv.ParseFloat(string(digits), 64)
	return err == nil && (!u.low.set || u.low.f < f) && (!u.high.set || f < u.high.f)
}

func (b *bound) below(i int64) bool {
	switch {
	case !b.set:
		return true
	case !b.whole:
		return b.f < float64(i)
	}
	return b.i < i || b.i == i && !b.exclusive
}

func (b *bound) above(i int64) bool {
	switch {
	case !b.set:
		return true
	case !b.whole:
		return float64(i) < b.f
	}
	return i < b.i || b.i == i && !b.exclusive
}

func (u *rules) list(r *reader) bool {
	if !r.enter() {
		return false
	}
	n := 0
	for r.more(']', n == 0) {
		if !u.elem.value(r) {
			return false
		}
		n++
	}
	return r.fault == "" && n >= u.minItems && n <= u.maxItems
}

func (u *rules) members(r *reader) bool {
	if u.object == nil {
		return r.skipObject()
	}
	if !r.enter() {
		return false
	}
	return u.object.members(r)
}

func (o *objectRules) members(r *reader) bool {
	var seen uint64
	var others keySet
	n, next := 0, 0
	for ; r.more('}', n == 0); n++ {
		name, plain, ok := r.key()
		if !ok {
			return false
		}
		if !plain {
			name = []byte(unescape(name))
		}
		i := o.find(name, next)
		if i < 0 {
			if o.closed || !others.add(name) || !o.rest.value(r) {
				return false
			}
			continue
		}
		if seen&(1<<i) != 0 || !o.props[i].rules.value(r) {
			return false
		}
		seen |= 1 << i
		next = i + 1
	}
	if o.defaults&^seen != 0 {
		r.lacking = true
	}
	return r.fault == "" && seen&o.required == o.required && n >= o.min && n <= o.max
}

// find returns the index of a property or -1. Members mostly come in the order of the schema, so next is tried first.
func (o *objectRules) find(name []byte, next int) int {
	if next < len(o.props) && o.props[next].name == string(name) {
		return next
	}
	if o.index != nil {
		if i, ok := o.index[string(name)]; ok {
			return i
		}
		return -1
	}
	for i := range o.props {
		if o.props[i].name == string(name) {
			return i
		}
	}
	return -1
}
