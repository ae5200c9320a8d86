package schema

import (
	"slices"
	"strings"
)

// Limits of a signature.
const (
	maxSignature = 1_000 // bytes
	maxShape     = 160   // bytes of one parameter's type
	maxNesting   = 3
	maxChoices   = 8
)

// signature writes the parameters of an object schema.
func signature(n *node) string {
	var b strings.Builder
	for i := range n.fields {
		text := parameter(n, &n.fields[i], 0)
		if b.Len()+len(text) > maxSignature {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(text)
	}
	return b.String()
}

// parameter writes `name?: type = default`.
func parameter(n *node, f *field, depth int) string {
	name := f.name
	if !identifier(name) {
		name = quote(name)
	}
	def := f.node.filled
	if !n.needs[f.name] || def != nil {
		name += "?"
	}
	text := name + ": " + cut(shape(f.node, depth), maxShape)
	if def != nil {
		text += " = " + cut(string(def), 40)
	}
	return text
}

// shape writes a type: string, "a"|"b", number[], {name: string}, any.
func shape(n *node, depth int) string {
	switch {
	case n == nil:
		return "any"
	case n.limited && len(n.values) > 0:
		return choices(n)
	case n.ref != nil && depth < maxNesting:
		return shape(n.ref, depth)
	case len(n.oneOf) > 1 && len(n.oneOf) <= maxChoices && depth < maxNesting:
		var forms []string
		for _, branch := range n.oneOf {
			if form := shape(branch, depth+1); !slices.Contains(forms, form) {
				forms = append(forms, form)
			}
		}
		return strings.Join(forms, "|")
	case n.accepts == anyKind:
		return "any"
	case n.accepts == 0:
		return "never"
	}
	var forms []string
	for _, name := range n.accepts.names() {
		switch name {
		case "object":
			name = objectShape(n, depth)
		case "array":
			name = listShape(n, depth)
		}
		forms = append(forms, name)
	}
	return strings.Join(forms, "|")
}

func choices(n *node) string {
	var forms []string
	for _, v := range n.values {
		if len(forms) == maxChoices && len(n.values) > maxChoices+1 {
			forms = append(forms, "…")
			break
		}
		forms = append(forms, cut(string(v), 40))
	}
	return strings.Join(forms, "|")
}

func listShape(n *node, depth int) string {
	if n.elem == nil || depth >= maxNesting {
		return "any[]"
	}
	item := shape(n.elem, depth+1)
	if alternative(item) {
		item = "(" + item + ")"
	}
	return item + "[]"
}

// alternative reports whether a shape is several with | between them, those inside its brackets and quotes aside.
func alternative(shape string) bool {
	depth, quoted := 0, false
	for i := 0; i < len(shape); i++ {
		switch c := shape[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '(' || c == '[':
			depth++
		case c == '}' || c == ')' || c == ']':
			depth--
		case c == '|' && depth == 0:
			return true
		}
	}
	return false
}

func objectShape(n *node, depth int) string {
	switch {
	case len(n.fields) == 0 && n.rest != nil && depth < maxNesting:
		return "{[string]: " + shape(n.rest, depth+1) + "}"
	case len(n.fields) == 0:
		return "object"
	case depth >= maxNesting:
		return "{…}"
	}
	var b strings.Builder
	for i := range n.fields {
		if b.Len() > maxShape {
			b.WriteString(", …")
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(parameter(n, &n.fields[i], depth+1))
	}
	return "{" + b.String() + "}"
}
