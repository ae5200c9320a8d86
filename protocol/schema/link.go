package schema

import "fmt"

type linkState uint8

const (
	unlinked linkState = iota
	accepting
	accepted
	linking
	linked
)

// maxFields bounds the properties that nodes take over from those they refer to.
const maxFields = 50_000

// link makes of the nodes what depends on more than one: which types fit, which properties an object has after its
// references were followed, and where defaults are.
func (b *builder) link() error {
	for _, n := range b.nodes {
		n.findAccepts()
	}
	total := 0
	for _, n := range b.nodes {
		if n.merge(&total); total > maxFields {
			return fmt.Errorf("%s: its references repeat more than %d properties", n.at, maxFields)
		}
	}
	for _, n := range b.nodes {
		if len(n.fields) > 8 {
			n.index = make(map[string]int, len(n.fields))
			for i, f := range n.fields {
				n.index[f.name] = i
			}
		}
	}
	b.spread(func(n *node) *bool { return &n.fills }, func(n *node) bool {
		for i := range n.fields {
			if n.fields[i].node.defaultText() != nil {
				return true
			}
		}
		return false
	})
	b.spread(func(n *node) *bool { return &n.unsteady }, func(n *node) bool { return n.unsteady || !n.simple })
	return nil
}

// spread sets a flag on every node that has the property or from which one that has it can be reached. Later nodes are
// mostly children, so going backwards settles in a round or two.
func (b *builder) spread(flag func(*node) *bool, has func(*node) bool) {
	for _, n := range b.nodes {
		*flag(n) = has(n)
	}
	for changed := true; changed; {
		changed = false
		for i := len(b.nodes) - 1; i >= 0; i-- {
			n := b.nodes[i]
			if *flag(n) {
				continue
			}
			for _, f := range n.fields {
				*flag(n) = *flag(n) || *flag(f.node)
			}
			for _, child := range []*node{n.rest, n.elem, n.ref} {
				*flag(n) = *flag(n) || child != nil && *flag(child)
			}
			changed = changed || *flag(n)
		}
	}
}

// findAccepts finds which kinds of values may fit.
func (n *node) findAccepts() kinds {
	switch n.state {
	case accepting:
		return anyKind // refers to itself
	case accepted:
		return n.accepts
	}
	n.state = accepting
	k := n.types
	if n.never {
		k = 0
	}
	if n.limited {
		var values kinds
		for _, v := range n.values {
			values |= kindOf(v)
		}
		k &= values
	}
	if n.ref != nil {
		k &= n.ref.findAccepts()
	}
	for _, part := range n.allOf {
		k &= part.findAccepts()
	}
	if len(n.oneOf) > 0 {
		var some kinds
		for _, part := range n.oneOf {
			some |= part.findAccepts()
		}
		k &= some
	}
	n.accepts, n.state = k, accepted
	return k
}

// merge gathers what the node says itself and what its references and branches say about objects and lists.
func (n *node) merge(total *int) {
	if n.state >= linking || *total > maxFields {
		return
	}
	n.state = linking
	parts := append([]*node{n.ref}, n.allOf...)
	parts = append(parts, only(n.oneOf, isObject), only(n.oneOf, isArray))
	n.fields = n.own
	for _, name := range n.required {
		n.need(name)
	}
	for _, part := range parts {
		if part == nil {
			continue
		}
		part.merge(total)
		n.takeOver(part, total)
	}
	n.state = linked
}

func (n *node) takeOver(part *node, total *int) {
	if len(n.fields) == 0 {
		n.fields = part.fields // shared: nobody changes them
	} else if len(part.fields) > 0 {
		have := make(map[string]bool, len(n.fields))
		for _, f := range n.fields {
			have[f.name] = true
		}
		merged := append([]field(nil), n.fields...)
		for _, f := range part.fields {
			if !have[f.name] {
				merged = append(merged, f)
			}
		}
		n.fields = merged
		*total += len(merged)
	}
	for name := range part.needs {
		n.need(name)
	}
	*total += len(part.needs)
	if n.elem == nil {
		n.elem = part.elem
	}
	if n.rest == nil {
		n.rest = part.rest
	}
	n.closed = n.closed || part.closed
}

func (n *node) need(name string) {
	if n.needs == nil {
		n.needs = make(map[string]bool, len(n.required))
	}
	n.needs[name] = true
}

// only returns the single branch that accepts kind k, nil when there is none or a choice.
func only(branches []*node, k kinds) *node {
	var found *node
	for _, branch := range branches {
		if branch.accepts&k != 0 {
			if found != nil {
				return nil
			}
			found = branch
		}
	}
	return found
}

// defaultText is the default that is written for the node, or for what it refers to.
func (n *node) defaultText() []byte {
	for range 8 { // a chain of references, not a circle
		if n == nil || n.def != nil {
			break
		}
		n = n.ref
	}
	if n == nil {
		return nil
	}
	return n.def
}

// position finds a property by its name: its index in fields, or -1.
func (n *node) position(name string) int {
	if n.index != nil {
		if i, ok := n.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range n.fields {
		if n.fields[i].name == name {
			return i
		}
	}
	return -1
}

func (n *node) field(name string) *field {
	if i := n.position(name); i >= 0 {
		return &n.fields[i]
	}
	return nil
}

// child is the node that judges the member name, nil when none is known.
func (n *node) child(name string) *node {
	if f := n.field(name); f != nil {
		return f.node
	}
	return n.rest
}
