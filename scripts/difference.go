package scripts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/luatools/luatools/protocol"
)

// listedDifference says what clients are shown differently of a tool; empty when nothing is.
func listedDifference(o, t *Tool) (list []string) {
	a, b := o.Definition, t.Definition
	if d := schemaDifference(a.Input, b.Input); d != "" {
		list = append(list, "schema changed"+d)
	}
	if d := schemaDifference(a.Output, b.Output); d != "" {
		list = append(list, "output changed"+d)
	}
	for _, field := range []struct {
		name string
		same bool
	}{
		{"description", a.Description == b.Description},
		{"title", a.Title == b.Title},
		{"annotations", sameFlag(a.ReadOnly, b.ReadOnly) && sameFlag(a.Destructive, b.Destructive) && sameFlag(a.Idempotent, b.Idempotent) &&
			sameFlag(a.OpenWorld, b.OpenWorld) && bytes.Equal(a.Annotations, b.Annotations)},
		{"icons", bytes.Equal(a.Icons, b.Icons)},
		{"meta", bytes.Equal(a.Meta, b.Meta) && a.AlwaysLoad == b.AlwaysLoad && a.MaxResult == b.MaxResult},
	} {
		if !field.same {
			list = append(list, field.name+" changed")
		}
	}
	return list
}

func sameFlag(a, b *bool) bool { return a == b || a != nil && b != nil && *a == *b }

// property is one member of a schema's properties.
type property struct {
	raw      []byte
	required bool
	shape    struct {
		Type        json.RawMessage
		Enum        []any
		Default     json.RawMessage
		Description string
	}
}

// properties reads the members of a schema's properties, in order.
func properties(schema []byte) (names []string, all map[string]*property) {
	var members, required []byte
	member(schema, "properties", &members)
	member(schema, "required", &required)
	var needed []string
	_ = json.Unmarshal(required, &needed) // absent, or of a raw schema: then none is
	all = map[string]*property{}
	_ = protocol.Members(members, func(key, value []byte) bool {
		name := string(key)
		p := &property{raw: value, required: slices.Contains(needed, name)}
		_ = json.Unmarshal(value, &p.shape) // what does not fit is not described
		names, all[name] = append(names, name), p
		return true
	})
	return names, all
}

// schemaDifference says how two schemas differ, such as ": +limit (integer, default 100), -page". Empty when
// they are the same.
func schemaDifference(before, after []byte) string {
	if bytes.Equal(before, after) {
		return ""
	}
	oldNames, old := properties(before)
	names, now := properties(after)
	var parts []string
	for _, n := range names {
		switch o, p := old[n], now[n]; {
		case o == nil:
			parts = append(parts, fmt.Sprintf("+%s (%s)", n, p))
		case !bytes.Equal(o.raw, p.raw) || o.required != p.required:
			parts = append(parts, fmt.Sprintf("~%s (%s)", n, o.difference(p)))
		}
	}
	for _, n := range oldNames {
		if now[n] == nil {
			parts = append(parts, "-"+n)
		}
	}
	if len(parts) == 0 {
		return " elsewhere than in its parameters"
	}
	return ": " + strings.Join(parts, ", ")
}

// String is the property's type and whether it must be given: "integer, default 100", "string", "string, optional".
func (p *property) String() string {
	switch {
	case p.shape.Default != nil:
		return fmt.Sprintf("%s, default %s", p.kind(), shorten(p.shape.Default))
	case !p.required:
		return p.kind() + ", optional"
	}
	return p.kind()
}

func (p *property) kind() string {
	if len(p.shape.Enum) > 0 {
		words := make([]string, len(p.shape.Enum))
		for i, v := range p.shape.Enum {
			words[i] = fmt.Sprint(v)
		}
		return string(shorten([]byte(strings.Join(words, "|"))))
	}
	var one string
	if json.Unmarshal(p.shape.Type, &one) == nil && one != "" {
		return one
	}
	return "any"
}

// shorten cuts what would fill the line.
func shorten(b []byte) []byte {
	const most = 60
	if len(b) <= most {
		return b
	}
	return append(bytes.ToValidUTF8(b[:most:most], nil), "…"...)
}

// difference says how a property became p.
func (o *property) difference(p *property) string {
	if a, b := o.String(), p.String(); a != b {
		return a + " → " + b
	}
	if o.shape.Description != p.shape.Description {
		return "description"
	}
	return "constraints"
}
