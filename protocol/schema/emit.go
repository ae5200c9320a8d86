package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ForCLI returns a schema in the form that the Claude CLI accepts: type "object" on top, no anyOf, oneOf or allOf there,
// properties an object, required a list, and a type on every property: the CLI (2.1.33 and current ones) changes "1" into 1 where
// there is none. What already is of that form comes back as it is, byte for byte. warnings say what was left out of the
// list; the gate checks it all the same.
func ForCLI(raw json.RawMessage) (out json.RawMessage, warnings []string, err error) {
	raw = slices.Clone(raw)
	doc, err := decodeSchema(raw)
	if err != nil {
		return nil, nil, err
	}
	if err := checkRoot(doc); err != nil {
		return nil, nil, err
	}
	b := &builder{raw: raw, doc: doc, legacy: legacy(doc), byPtr: map[string]*node{}}
	root, err := b.build("#", trim(raw), doc, true)
	if err != nil {
		return nil, nil, err
	}
	if err := b.link(); err != nil {
		return nil, nil, err
	}
	e := emitter{}
	e.object(root, trim(raw), true)
	if !e.changed {
		return raw, nil, nil
	}
	return e.dst, e.warnings, nil
}

// emitter copies a schema and mends what the CLI would trip over.
type emitter struct {
	dst      []byte
	changed  bool
	warnings []string
}

// object copies the schema n of an object; on top more is demanded.
func (e *emitter) object(n *node, raw []byte, top bool) {
	e.dst = append(e.dst, '{')
	first := true
	next := func(key []byte) {
		if !first {
			e.dst = append(e.dst, ',')
		}
		first = false
		e.dst = append(append(e.dst, key...), ':')
	}
	has := map[string]bool{}
	members(raw, func(m member) bool {
		has[m.name] = true
		switch {
		case top && (m.name == "anyOf" || m.name == "oneOf" || m.name == "allOf"):
			e.changed = true
			e.warnings = append(e.warnings, fmt.Sprintf("%s at the top is not shown to the Claude CLI, which refuses it; calls are still checked against it", m.name))
		case m.name == "properties":
			next(m.key)
			e.properties(n, m.value)
		case m.name == "items" && n.elem != nil && kindOf(m.value) == isObject:
			next(m.key)
			e.typed(n.elem, m.value, false)
		default:
			next(m.key)
			e.dst = append(e.dst, m.value...)
		}
		return true
	})
	if top && !has["properties"] {
		next([]byte(`"properties"`))
		e.dst = append(e.dst, "{}"...)
		e.changed = true
	}
	if top && !has["required"] {
		next([]byte(`"required"`))
		e.dst = append(e.dst, "[]"...)
		e.changed = true
	}
	e.dst = append(e.dst, '}')
}

func (e *emitter) properties(n *node, raw []byte) {
	e.dst = append(e.dst, '{')
	i := 0
	members(raw, func(p member) bool {
		if i > 0 {
			e.dst = append(e.dst, ',')
		}
		e.dst = append(append(e.dst, p.key...), ':')
		if i < len(n.own) { // fewer when an old $ref hides them
			e.typed(n.own[i].node, p.value, true)
		} else {
			e.dst = append(e.dst, p.value...)
		}
		i++
		return true
	})
	e.dst = append(e.dst, '}')
}

// typed copies a schema, with the types that it accepts when it names none.
func (e *emitter) typed(n *node, raw []byte, property bool) {
	if kindOf(raw) == isBoolean {
		if !property {
			e.dst = append(e.dst, raw...)
			return
		}
		e.changed = true
		e.dst = append(append(e.dst, `{"type":`...), typeList(anyKind)...)
		if n.never {
			e.dst = append(e.dst, `,"not":{}`...)
		}
		e.dst = append(e.dst, '}')
		return
	}
	hasType := false
	members(raw, func(m member) bool {
		hasType = m.name == "type"
		return !hasType
	})
	if hasType || !property {
		e.object(n, raw, false)
		return
	}
	e.changed = true
	e.dst = append(append(e.dst, `{"type":`...), typeList(n.accepts)...)
	at := len(e.dst)
	e.object(n, raw, false)
	// The copy stands behind the type: its opening brace becomes a comma, or goes with an empty schema.
	if e.dst[at+1] == '}' {
		e.dst = append(e.dst[:at], '}')
	} else {
		e.dst[at] = ','
	}
}

// typeList writes types for the keyword "type".
func typeList(k kinds) []byte {
	if k == 0 {
		k = anyKind
	}
	names := k.names()
	if len(names) == 1 {
		return appendString(nil, names[0])
	}
	dst := []byte{'['}
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, name)
	}
	return append(dst, ']')
}

// CheckEntry judges one entry of tools/list as strictly as the strictest CLI does. It matters, because one bad entry
// silently empties the list of the whole server.
func CheckEntry(entry json.RawMessage) error {
	r := newReader(entry)
	v, ok := r.value()
	if !ok || !r.end() {
		return r.err()
	}
	tool, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("a tool must be an object, not %s", describe(v))
	}
	name, ok := tool["name"].(string)
	switch {
	case !ok:
		return fmt.Errorf("name must be a string, not %s", describe(tool["name"]))
	case len(name) > 64:
		return fmt.Errorf("name %s is longer than 64 characters", quote(name))
	case name == "" || strings.ContainsFunc(name, func(c rune) bool { return !plainWord(string(c)) || c == '.' || c == '/' }):
		return fmt.Errorf("name %s must consist of letters, digits, _ and -", quote(name))
	}
	for _, key := range []string{"description", "title"} {
		if v, has := tool[key]; has {
			if _, ok := v.(string); !ok {
				return fmt.Errorf("%s must be a string, not %s", key, describe(v))
			}
		}
	}
	for _, key := range []string{"annotations", "_meta"} {
		if v, has := tool[key]; has {
			if _, ok := v.(map[string]any); !ok {
				return fmt.Errorf("%s must be an object, not %s", key, describe(v))
			}
		}
	}
	if err := checkEntrySchema(tool["inputSchema"]); err != nil {
		return fmt.Errorf("inputSchema: %w", err)
	}
	if out, has := tool["outputSchema"]; has {
		if err := checkEntrySchema(out); err != nil {
			return fmt.Errorf("outputSchema: %w", err)
		}
	}
	return nil
}

func checkEntrySchema(v any) error {
	object, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("must be an object, not %s", describe(v))
	}
	if object["type"] != "object" {
		return errors.New(`must have "type": "object"`)
	}
	if p, has := object["properties"]; has {
		properties, ok := p.(map[string]any)
		if !ok {
			return fmt.Errorf("properties must be an object, not %s", describe(p))
		}
		for name, p := range properties {
			if _, ok := p.(map[string]any); !ok { // true and false are JSON Schema, but not to the clients' checks
				return fmt.Errorf("properties: %s must be an object, not %s", quote(name), describe(p))
			}
		}
	}
	if r, has := object["required"]; has {
		names, ok := r.([]any)
		if !ok {
			return fmt.Errorf("required must be a list, not %s", describe(r))
		}
		for _, name := range names {
			if _, ok := name.(string); !ok {
				return fmt.Errorf("required must be a list of names, not %s", describe(name))
			}
		}
	}
	return nil
}
