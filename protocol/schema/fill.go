package schema

import (
	"encoding/json"
	"fmt"
)

// Limits of defaults: of one with all that is filled into it, and of what filling may make of a value.
const (
	maxDefault  = 64 << 10
	unsureAbove = 64 << 10 // bytes above which a filled value is counted again
)

// fill returns args, which fit, with the defaults of absent members. Where a default could break something (maxProperties,
// uniqueItems, combinators) the result is judged again, and args stay as they came when it does not fit.
func (s *Schema) fill(args json.RawMessage, r *reader) (json.RawMessage, error) {
	if !s.root.fills {
		return args, nil
	}
	filled, added, err := fillIn(s.root, args)
	if err != nil {
		return nil, err
	}
	if !added {
		return args, nil
	}
	if !s.root.unsteady && len(filled) <= unsureAbove && r.deepest+s.deepest <= maxDepth {
		return filled, nil
	}
	v, again, err := decode(filled)
	if err != nil {
		return nil, fmt.Errorf("the arguments with their defaults cannot be read: %w", err)
	}
	if wrong, err := s.judge(v, again); err != nil || wrong != nil {
		return args, err
	}
	return filled, nil
}

// fillIn appends defaults to raw. added is false when there was nothing to add.
func fillIn(n *node, raw []byte) (filled []byte, added bool, err error) {
	if !n.fills {
		return raw, false, nil
	}
	f := filler{dst: make([]byte, 0, len(raw)+64), limit: maxBytes}
	f.value(n, raw)
	if f.err != nil {
		return nil, false, f.err
	}
	return f.dst, f.added, nil
}

// filler writes a value with the defaults of what it lacks.
type filler struct {
	dst    []byte
	added  bool
	limit  int               // of dst
	settle func(*node) error // while the defaults themselves are made
	err    error
}

func (f *filler) value(n *node, raw []byte) {
	raw = trim(raw)
	switch {
	case n == nil || !n.fills:
		f.dst = append(f.dst, raw...)
	case raw[0] == '{':
		f.object(n, raw)
	case raw[0] == '[' && n.elem != nil && n.elem.fills:
		f.dst = append(f.dst, '[')
		first := true
		items(raw, func(item []byte) bool {
			f.comma(&first)
			f.value(n.elem, item)
			return f.within()
		})
		f.dst = append(f.dst, ']')
	default:
		f.dst = append(f.dst, raw...)
	}
}

func (f *filler) object(n *node, raw []byte) {
	var few uint64 // the fields that are there
	var many map[int]bool
	if len(n.fields) > 64 {
		many = make(map[int]bool, len(n.fields))
	}
	f.dst = append(f.dst, '{')
	first := true
	members(raw, func(m member) bool {
		f.comma(&first)
		f.dst = append(append(f.dst, m.key...), ':')
		i := n.position(m.name)
		switch {
		case i < 0:
			f.value(n.rest, m.value)
			return f.within()
		case many != nil:
			many[i] = true
		default:
			few |= 1 << i
		}
		f.value(n.fields[i].node, m.value)
		return f.within()
	})
	for i := range n.fields {
		if few&(1<<i) != 0 || many[i] {
			continue
		}
		field := &n.fields[i]
		if f.settle != nil && f.err == nil {
			f.err = f.settle(field.node)
		}
		if field.node.filled != nil && f.within() {
			f.comma(&first)
			f.dst = append(append(append(f.dst, field.key...), ':'), field.node.filled...)
			f.added = true
		}
	}
	f.dst = append(f.dst, '}')
}

func (f *filler) comma(first *bool) {
	if !*first {
		f.dst = append(f.dst, ',')
	}
	*first = false
}

// within reports whether to go on.
func (f *filler) within() bool {
	if f.err == nil && len(f.dst) > f.limit {
		f.err = &InputError{-1, fmt.Sprintf("with defaults it is more than %d bytes", f.limit)}
	}
	return f.err == nil
}

// settler finds the normal form of each default once. A default that holds itself without end, is too large or does not fit
// its own schema is an error in strict mode, else it is left out with a warning.
type settler struct {
	s      *Schema
	strict bool
	busy   map[*node]bool
	done   map[*node]bool
	circle map[*node]bool
}

func (s *Schema) settleDefaults(nodes []*node, strict bool) error {
	st := settler{s: s, strict: strict, busy: map[*node]bool{}, done: map[*node]bool{}, circle: map[*node]bool{}}
	for _, n := range nodes {
		if err := st.settle(n); err != nil {
			return err
		}
	}
	return nil
}

func (st *settler) settle(n *node) error {
	text := n.defaultText()
	if text == nil || n.compiled == nil || st.done[n] {
		return nil
	}
	if st.busy[n] {
		st.circle[n] = true
		return nil
	}
	st.busy[n] = true
	f := filler{limit: maxDefault, settle: st.settle}
	f.value(n, text)
	st.busy[n], st.done[n] = false, true
	switch {
	case st.circle[n]:
		return st.leaveOut(n, "holds itself without end")
	case f.err != nil && st.strict:
		return f.err
	case f.err != nil:
		return st.leaveOut(n, f.err.Error())
	}
	v, r, err := decode(f.dst)
	if err != nil {
		return st.leaveOut(n, err.Error())
	}
	if err := st.s.costs.allow(r); err != nil {
		return st.leaveOut(n, err.Error())
	}
	wrong, err := judge(n.compiled, v)
	if err != nil {
		return st.leaveOut(n, err.Error())
	}
	if wrong != nil {
		return st.leaveOut(n, "does not fit: "+st.s.firstFault(v, wrong))
	}
	n.filled = f.dst
	st.s.deepest = max(st.s.deepest, r.deepest)
	return nil
}

func (st *settler) leaveOut(n *node, why string) error {
	fault := fmt.Sprintf("%s: the default %s %s", n.at, cut(string(n.defaultText()), longestValue), why)
	if st.strict {
		return fmt.Errorf("%s", fault)
	}
	st.s.warnings = append(st.s.warnings, fault)
	return nil
}
