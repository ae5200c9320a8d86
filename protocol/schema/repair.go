package schema

import "strings"

// repair rewrites what models often get wrong, where the schema leaves no doubt about what was meant. Text in which
// nothing was found comes back as it is, with changed false.
func (s *Schema) repair(args []byte) (repaired []byte, changed bool) {
	r := repairer{dst: make([]byte, 0, len(args))}
	r.value(s.root, args)
	if !r.changed {
		return args, false
	}
	return r.dst, true
}

type repairer struct {
	dst     []byte
	depth   int
	changed bool
}

func (r *repairer) value(n *node, raw []byte) {
	raw = trim(raw)
	r.depth++
	defer func() { r.depth-- }()
	switch {
	case n == nil || r.depth > maxDepth:
	case raw[0] == '{':
		r.object(n, raw)
		return
	case raw[0] == '[' && n.elem != nil:
		r.dst = append(r.dst, '[')
		first := true
		items(raw, func(item []byte) bool {
			r.comma(&first)
			r.value(n.elem, item)
			return true
		})
		r.dst = append(r.dst, ']')
		return
	case raw[0] == '"' && n.accepts&isString == 0:
		if meant := meantBy(n, raw); meant != nil {
			r.changed = true
			r.value(n, meant)
			return
		}
	}
	r.dst = append(r.dst, raw...)
}

// meantBy returns the value that the string raw holds, nil when it holds none that could fit n.
func meantBy(n *node, raw []byte) []byte {
	text, _ := stringOf(raw)
	text = strings.TrimSpace(text)
	switch text {
	case "True":
		text = "true"
	case "False":
		text = "false"
	}
	meant := []byte(text)
	if check(meant) != nil || kindOf(meant)&n.accepts == 0 {
		return nil
	}
	return meant
}

func (r *repairer) object(n *node, raw []byte) {
	r.dst = append(r.dst, '{')
	first := true
	members(raw, func(m member) bool {
		f := n.field(m.name)
		if f != nil && n.absent(f, m.value) {
			r.changed = true
			return true
		}
		r.comma(&first)
		r.dst = append(append(r.dst, m.key...), ':')
		if f != nil {
			r.value(f.node, m.value)
		} else {
			r.value(n.rest, m.value)
		}
		return true
	})
	r.dst = append(r.dst, '}')
}

func (r *repairer) comma(first *bool) {
	if !*first {
		r.dst = append(r.dst, ',')
	}
	*first = false
}

// absent reports whether the value of an optional member means that there is none.
func (n *node) absent(f *field, raw []byte) bool {
	if n.needs[f.name] && f.node.filled == nil || f.node.accepts&isNull != 0 {
		return false
	}
	if raw[0] == 'n' {
		return true
	}
	if f.node.accepts&isString != 0 {
		return false
	}
	text, ok := stringOf(raw)
	return ok && (text == "" || text == "null")
}
