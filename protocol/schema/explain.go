package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/luatools/luatools/protocol/nearest"
)

// explain turns the library's tree of causes into a list by path, in the order of the schema.
func (s *Schema) explain(what string, v any, wrong *jsonschema.ValidationError) error {
	e := explainer{root: s.root, value: v}
	e.add(wrong)
	e.sort()
	err := &ViolationsError{More: e.more, What: what, Signature: s.signature}
	for _, f := range e.found {
		err.Violations = append(err.Violations, f.Violation)
	}
	return err
}

// firstFault words the first thing that is wrong with v.
func (s *Schema) firstFault(v any, wrong *jsonschema.ValidationError) string {
	e := explainer{value: v}
	e.add(wrong)
	e.sort()
	if len(e.found) == 0 {
		return "it is refused"
	}
	return e.found[0].String()
}

type explainer struct {
	root  *node // nil: nothing is known of the order
	value any
	found []finding
	more  int
	looks *int // causes below branches that may still be looked at
}

// maxLooks bounds the causes that choice looks at: branches within branches grow without end.
const maxLooks = 20_000

// finding is a violation with its rank in the order of the schema.
type finding struct {
	Violation
	rank []rank
	want []string // the types that would fit, when the type is all that is wrong
}

// rank orders the members of one object or list: declared ones as declared, the others after them by name.
type rank struct {
	position int
	name     string
}

// hop is one step into a value.
type hop struct {
	token string
	list  bool
}

const unknownRank = 1 << 30

func (e *explainer) sort() {
	slices.SortStableFunc(e.found, func(a, b finding) int {
		return cmp.Or(slices.CompareFunc(a.rank, b.rank, func(x, y rank) int {
			return cmp.Or(cmp.Compare(x.position, y.position), strings.Compare(x.name, y.name))
		}), strings.Compare(a.Message, b.Message))
	})
	e.found = slices.CompactFunc(e.found, func(a, b finding) bool { return a.Violation == b.Violation })
}

// add explains one cause and what is below it.
func (e *explainer) add(verr *jsonschema.ValidationError) {
	at := verr.InstanceLocation
	switch k := verr.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range verr.Causes {
			e.add(cause)
		}
	case *kind.AnyOf:
		e.choice(verr)
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			e.put(at, "fits more than one of the allowed forms, must fit exactly one")
			return
		}
		e.choice(verr)
	case *kind.Required:
		for _, name := range k.Missing {
			e.put(append(slices.Clip(at), name), "is required")
		}
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		for _, name := range k.Properties {
			if len(e.found) >= maxViolations { // looking for near names takes time
				e.more++
				continue
			}
			e.put(append(slices.Clip(at), name), e.unknown(at, name))
		}
	case *kind.PropertyNames:
		e.put(at, e.badName(k, verr))
	case *kind.Type:
		v, _ := e.walk(at)
		e.keep(finding{want: k.Want}, at, wantText(k.Want, v))
	default:
		v, _ := e.walk(at)
		e.put(at, message(k, v))
	}
}

func (e *explainer) put(at []string, message string) { e.keep(finding{}, at, message) }

func (e *explainer) keep(f finding, at []string, message string) {
	if len(e.found) >= maxViolations {
		e.more++
		return
	}
	_, hops := e.walk(at)
	f.Path, f.Message = pathText(hops), cut(message, maxViolationText)
	f.rank = e.ranks(at)
	e.found = append(e.found, f)
}

// walk finds the value at a place and how to get there. The last hop may lead to what is missing.
func (e *explainer) walk(at []string) (any, []hop) {
	v, hops := e.value, make([]hop, 0, len(at))
	for _, token := range at {
		switch holder := v.(type) {
		case []any:
			hops = append(hops, hop{token, true})
			v = nil
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(holder) {
				v = holder[i]
			}
		case map[string]any:
			hops = append(hops, hop{token, false})
			v = holder[token]
		default:
			hops = append(hops, hop{token, false})
		}
	}
	return v, hops
}

// nodes returns the schema's places along a path, nil where none is known.
func (e *explainer) nodes(at []string) []*node {
	n, v := e.root, e.value
	nodes := []*node{n}
	for _, token := range at {
		switch holder := v.(type) {
		case []any:
			v = nil
			if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(holder) {
				v = holder[i]
			}
			if n != nil {
				n = n.elem
			}
		case map[string]any:
			v = holder[token]
			if n != nil {
				n = n.child(token)
			}
		default:
			n = nil
		}
		nodes = append(nodes, n)
	}
	return nodes
}

func (e *explainer) ranks(at []string) []rank {
	ranks := make([]rank, len(at))
	for i, n := range e.nodes(at)[:len(at)] {
		ranks[i] = rank{unknownRank, at[i]}
		v, _ := e.walk(at[:i])
		if _, list := v.([]any); list {
			if index, err := strconv.Atoi(at[i]); err == nil {
				ranks[i] = rank{index, ""}
			}
		} else if n != nil {
			if p := n.position(at[i]); p >= 0 {
				ranks[i] = rank{p, ""}
			}
		}
	}
	return ranks
}

// unknown words that a member is not declared, and what may have been meant.
func (e *explainer) unknown(at []string, name string) string {
	nodes := e.nodes(at)
	n := nodes[len(nodes)-1]
	if n == nil {
		return "unknown parameter"
	}
	var names []string
	for _, f := range n.fields {
		names = append(names, f.name)
	}
	if meant := nearest.Name(name, names); meant != "" {
		return "unknown parameter; did you mean " + strconv.Quote(meant) + "?"
	}
	if len(names) == 0 {
		return "unknown parameter; none are taken here"
	}
	return "unknown parameter; there are: " + listed(names)
}

func (e *explainer) badName(k *kind.PropertyNames, verr *jsonschema.ValidationError) string {
	why := "it is refused"
	if len(verr.Causes) > 0 {
		inner := explainer{value: k.Property}
		for _, cause := range verr.Causes {
			inner.add(cause)
		}
		inner.sort()
		if len(inner.found) > 0 {
			why = inner.found[0].Message
		}
	}
	return fmt.Sprintf("the name %s is not allowed: %s", quote(k.Property), why)
}

// choice explains a value that fits none of several forms. When only one form is of the value's type, its faults are what the
// caller wants to know.
func (e *explainer) choice(verr *jsonschema.ValidationError) {
	at := verr.InstanceLocation
	var near []explainer
	var want []string
	if e.looks == nil {
		e.looks = new(maxLooks)
	}
	for _, branch := range verr.Causes {
		if *e.looks--; *e.looks < 0 {
			e.put(at, "fits none of the allowed forms")
			return
		}
		b := explainer{root: e.root, value: e.value, looks: e.looks}
		b.add(branch)
		b.sort()
		if len(b.found) == 1 && b.found[0].want != nil && len(b.found[0].rank) == len(at) {
			want = append(want, b.found[0].want...)
			continue
		}
		near = append(near, b)
	}
	switch len(near) {
	case 0:
		v, _ := e.walk(at)
		e.keep(finding{want: want}, at, wantText(want, v))
	case 1:
		for _, f := range near[0].found {
			if len(e.found) >= maxViolations {
				e.more++
				continue
			}
			e.found = append(e.found, f)
		}
		e.more += near[0].more
	default:
		var forms []string
		for _, b := range near {
			if len(b.found) > 0 {
				forms = append(forms, cut(b.found[0].String(), maxViolationText/4))
			}
		}
		slices.Sort(forms)
		forms = slices.Compact(forms)
		e.put(at, "fits none of the allowed forms: "+strings.Join(forms[:min(len(forms), 4)], "; or "))
	}
}
