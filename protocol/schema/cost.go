package schema

import (
	"fmt"
	"math"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The library follows every branch of a schema, so a few lines of it (two branches that both refer back) make the work double
// with each level of a value. These limits keep one judgement below a few seconds whatever the schema says.
const (
	maxInPlace  = 5_000      // keywords and branches that look at one and the same value
	maxJudging  = 20_000_000 // of all values of one text together
	maxUnique   = 10_000     // items of a list, where uniqueItems compares them
	maxMatching = 1 << 30    // bytes of a text × steps of its pattern
)

// costs is the work that a schema makes: perLevel[d] bounds what the library looks at for one value that lies d levels deep,
// all above it included.
type costs struct {
	perLevel [maxDepth + 1]float64
	unique   bool
}

// coster adds up work along the compiled schema, place by place. dynamic holds the schemas that a dynamic reference may mean.
type coster struct {
	order   []*jsonschema.Schema
	steps   map[*jsonschema.Schema]*step
	dynamic map[string][]*jsonschema.Schema
	unique  bool
}

// step is one place: its own work, the places that look at the same value, and those that look at a part of it. Of the places
// within a group of parts at most one looks at any one part.
type step struct {
	work    float64
	inPlace []*jsonschema.Schema
	parts   [][]*jsonschema.Schema
	level   []float64
	busy    bool
}

// measure finds the work that root makes. It refuses a schema that refers to itself without going deeper.
func measure(root *jsonschema.Schema) (*costs, error) {
	c := coster{steps: map[*jsonschema.Schema]*step{}, dynamic: map[string][]*jsonschema.Schema{}}
	c.visit(root)
	for i := 0; i < len(c.order); i++ { // visit appends
		c.expand(c.order[i])
	}
	for _, s := range c.order {
		if d := s.DynamicRef; d != nil {
			c.steps[s].inPlace = append(c.steps[s].inPlace, c.dynamic[d.Anchor]...)
		}
		if s.RecursiveRef != nil {
			c.steps[s].inPlace = append(c.steps[s].inPlace, c.dynamic["$recursive"]...)
		}
	}
	costs := &costs{unique: c.unique}
	for d := range costs.perLevel {
		for _, s := range c.order {
			if _, err := c.at(s, d); err != nil {
				return nil, err
			}
		}
		costs.perLevel[d], _ = c.at(root, d)
		if d == 0 && costs.perLevel[0] > maxInPlace {
			return nil, fmt.Errorf("%s: too many branches look at one value", place(root.Location))
		}
	}
	return costs, nil
}

func (c *coster) visit(s *jsonschema.Schema) {
	if s == nil || c.steps[s] != nil {
		return
	}
	c.steps[s] = &step{}
	c.order = append(c.order, s)
}

func (c *coster) expand(s *jsonschema.Schema) {
	st := c.steps[s]
	st.work = 1 + float64(len(s.Required)+len(s.Properties)+len(s.PatternProperties)+len(s.Dependencies)+len(s.DependentRequired))/8
	if s.Enum != nil {
		st.work += float64(len(s.Enum.Values)) / 2
	}
	c.unique = c.unique || s.UniqueItems
	if s.DynamicAnchor != "" {
		c.dynamic[s.DynamicAnchor] = append(c.dynamic[s.DynamicAnchor], s)
	}
	if s.RecursiveAnchor {
		c.dynamic["$recursive"] = append(c.dynamic["$recursive"], s)
	}
	same := func(list ...*jsonschema.Schema) {
		for _, sub := range list {
			if sub != nil {
				c.visit(sub)
				st.inPlace = append(st.inPlace, sub)
			}
		}
	}
	same(s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else)
	same(s.AllOf...)
	same(s.AnyOf...)
	same(s.OneOf...)
	if s.DynamicRef != nil {
		same(s.DynamicRef.Ref)
	}
	for _, sub := range s.DependentSchemas {
		same(sub)
	}
	for _, sub := range s.Dependencies {
		if sub, ok := sub.(*jsonschema.Schema); ok {
			same(sub)
		}
	}
	c.expandParts(s, st)
}

func (c *coster) expandParts(s *jsonschema.Schema, st *step) {
	group := func(list ...*jsonschema.Schema) {
		var some []*jsonschema.Schema
		for _, sub := range list {
			if sub != nil {
				c.visit(sub)
				some = append(some, sub)
			}
		}
		if some != nil {
			st.parts = append(st.parts, some)
		}
	}
	var members []*jsonschema.Schema
	for _, sub := range s.Properties {
		members = append(members, sub)
	}
	if sub, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		members = append(members, sub)
	}
	group(members...)
	for _, sub := range s.PatternProperties {
		group(sub)
	}
	list := append([]*jsonschema.Schema{s.Items2020}, s.PrefixItems...)
	switch old := s.Items.(type) {
	case *jsonschema.Schema:
		list = append(list, old)
	case []*jsonschema.Schema:
		list = append(list, old...)
	}
	if sub, ok := s.AdditionalItems.(*jsonschema.Schema); ok {
		list = append(list, sub)
	}
	group(list...)
	group(s.Contains)
	group(s.UnevaluatedItems)
	group(s.UnevaluatedProperties)
	group(s.PropertyNames)
	group(s.ContentSchema)
}

// at is the work for a value and the parts down to d levels below it, one part at each level.
func (c *coster) at(s *jsonschema.Schema, d int) (float64, error) {
	st := c.steps[s]
	if len(st.level) > d {
		return st.level[d], nil
	}
	if st.busy {
		return 0, fmt.Errorf("%s: refers to itself without going deeper", place(s.Location))
	}
	st.busy = true
	defer func() { st.busy = false }()
	sum := st.work
	for _, sub := range st.inPlace {
		w, err := c.at(sub, d)
		if err != nil {
			return 0, err
		}
		sum += w
	}
	if d > 0 {
		for _, group := range st.parts {
			most := 0.0
			for _, sub := range group {
				most = max(most, c.steps[sub].level[d-1])
			}
			sum += most
		}
	}
	st.level = append(st.level, min(sum, math.MaxFloat32))
	return sum, nil
}

// allow refuses a value that would cost too much to judge.
func (c *costs) allow(r *reader) error {
	if work := c.perLevel[min(r.deepest, maxDepth)] * float64(r.nodes); work > maxJudging {
		return &InputError{-1, fmt.Sprintf("too large or too deeply nested for its schema (%d values, %d levels)", r.nodes, r.deepest)}
	}
	if c.unique && r.longest > maxUnique {
		return &InputError{-1, fmt.Sprintf("a list of more than %d items, which must not repeat", maxUnique)}
	}
	return nil
}
