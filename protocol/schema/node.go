package schema

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/luatools/luatools/protocol/nearest"
)

// node is one place of a schema as the rest of this package reads it: with the order of its properties, which the library
// forgets, and only the keywords that repairing, filling in and naming need. What it does not know it leaves to the library:
// a node may guess wrong about an odd schema without harm, since nothing is returned that the library has not accepted.
type node struct {
	at       string // JSON pointer: "#/properties/age"
	types    kinds  // declared
	accepts  kinds  // what may fit here, rather too much than too little
	required []string
	values   []json.RawMessage // of enum or const
	limited  bool              // there is an enum or const
	def      json.RawMessage   // default; nil when there is none
	own      []field           // properties as written here
	rest     *node             // additionalProperties
	closed   bool              // no undeclared members
	elem     *node             // items
	ref      *node             // $ref to a place in this schema
	allOf    []*node
	oneOf    []*node // of anyOf, else of oneOf
	never    bool    // the schema false
	simple   bool    // nothing but keywords that fast.go knows
	unsteady bool    // filling in below here may break something, see [Schema.fill]

	// What follows is made by link, after all nodes are there.
	state  linkState
	fields []field         // own and those of ref, allOf, and the one form of oneOf that is an object
	index  map[string]int  // of fields, when they are many
	needs  map[string]bool // required, likewise gathered
	fills  bool            // something below here has a default
	filled []byte          // the normal form of the default; nil when there is none that fits

	compiled *jsonschema.Schema
}

// field is one property of an object.
type field struct {
	name string
	key  []byte // the name as JSON
	node *node
}

// builder makes the nodes of one schema, each once by its pointer, so that a schema may refer to itself.
type builder struct {
	raw    []byte
	doc    any // the same as plain Go values; closed objects are marked in it
	closed bool
	legacy bool // before draft 2019-09, where $ref hides what stands beside it
	ids    bool // an $id below the root: a pointer may then mean another root
	nodes  []*node
	byPtr  map[string]*node
}

// pointer is the "#/a/b" form of a place below at.
func pointer(at string, tokens ...string) string {
	for _, t := range tokens {
		at += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(t)
	}
	return at
}

// build reads the schema at a place. inline is true when only properties and items led there: inside a combinator an object
// must stay open, since the other branches may declare the rest.
func (b *builder) build(at string, raw []byte, doc any, inline bool) (*node, error) {
	if n := b.byPtr[at]; n != nil {
		return n, nil
	}
	n := &node{at: at, types: anyKind, simple: true}
	b.byPtr[at] = n
	b.nodes = append(b.nodes, n)
	switch kindOf(raw) {
	case isBoolean:
		n.never = raw[0] == 'f'
		return n, nil
	case isObject:
	default:
		return nil, fmt.Errorf("%s: a schema must be an object, not %s", at, kindOf(raw))
	}
	var err error
	object, _ := doc.(map[string]any)
	_, hidden := object["$ref"]
	hidden = hidden && b.legacy
	members(raw, func(m member) bool {
		if !hidden || m.name == "$ref" {
			err = b.keyword(n, m, object[m.name], inline)
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	if inline && b.closed && closable(object) {
		object["additionalProperties"] = false
		n.closed = true
	}
	for _, name := range n.required {
		if n.closed && b.closed && !slices.ContainsFunc(n.own, func(f field) bool { return f.name == name }) {
			return nil, fmt.Errorf("%s: required names %s, which properties does not have", at, quote(name))
		}
	}
	return n, nil
}

// closable reports whether an object schema without a word on undeclared members refuses them: one that lists its
// properties and has nothing that could declare more.
func closable(object map[string]any) bool {
	for _, k := range []string{"additionalProperties", "patternProperties", "unevaluatedProperties", "dependentSchemas", "dependencies",
		"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "$ref", "$dynamicRef", "$recursiveRef"} {
		if _, has := object[k]; has {
			return false
		}
	}
	_, has := object["properties"]
	return has
}

// keyword reads one member of a schema object.
func (b *builder) keyword(n *node, m member, doc any, inline bool) (err error) {
	at := pointer(n.at, m.name)
	switch m.name {
	case "type":
		n.types, err = readTypes(at, m.value)
	case "properties":
		if kindOf(m.value) != isObject {
			return fmt.Errorf("%s: must be an object, not %s", at, kindOf(m.value))
		}
		docs, _ := doc.(map[string]any)
		members(m.value, func(p member) bool {
			f := field{name: p.name, key: p.key}
			f.node, err = b.build(pointer(at, p.name), p.value, docs[p.name], inline)
			n.own = append(n.own, f)
			return err == nil
		})
	case "required":
		if kindOf(m.value) != isArray {
			return fmt.Errorf("%s: must be a list, not %s", at, kindOf(m.value))
		}
		items(m.value, func(item []byte) bool {
			name, ok := stringOf(item)
			if !ok {
				err = fmt.Errorf("%s: must be a list of names", at)
			}
			n.required = append(n.required, name)
			return ok
		})
	case "additionalProperties":
		if kindOf(m.value) == isBoolean {
			n.closed = m.value[0] == 'f'
			return nil
		}
		n.rest, err = b.build(at, m.value, doc, inline)
	case "items":
		if kindOf(m.value) == isArray { // a tuple of old drafts
			n.simple = false
			return nil
		}
		n.elem, err = b.build(at, m.value, doc, inline)
	case "enum", "const":
		n.readValues(m)
	case "default":
		n.def = slices.Clone(m.value)
	case "$ref":
		n.simple = false
		n.ref, err = b.reference(m.value)
	case "allOf":
		n.simple = false
		n.allOf, err = b.branches(at, m.value, doc)
	case "anyOf", "oneOf":
		n.simple = false
		n.oneOf, err = b.branches(at, m.value, doc)
	case "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minContains", "maxContains":
		n.simple = n.simple && !strings.HasSuffix(m.name, "Contains")
		n.unsteady = n.unsteady || m.name == "maxProperties"
		err = checkCount(at, m.value)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "pattern", "format":
	case "title", "description", "$comment", "examples", "deprecated", "readOnly", "writeOnly", "contentEncoding", "contentMediaType",
		"$defs", "definitions":
	case "$schema":
		n.simple = n.simple && (n.at != "#" || draft2020(m.value))
	case "$id", "id":
		n.simple = false
		b.ids = b.ids || n.at != "#"
	default:
		n.simple = false
	}
	return err
}

// readTypes reads the keyword "type": one word or a list of them.
func readTypes(at string, raw []byte) (k kinds, err error) {
	one := func(word []byte) bool {
		name, ok := stringOf(word)
		if !ok {
			err = fmt.Errorf("%s: must be a type's name or a list of them", at)
			return false
		}
		kind, ok := typeKinds[name]
		if !ok {
			err = fmt.Errorf("%s: unknown type %s%s; there are %s", at, quote(name), nearest.Hint(name, typeNames), strings.Join(typeNames, ", "))
		}
		k |= kind
		return ok
	}
	if kindOf(raw) == isArray {
		items(raw, one)
	} else {
		one(raw)
	}
	return k, err
}

func (n *node) readValues(m member) {
	if n.limited {
		n.simple = false // enum and const both: the library's affair
	}
	n.limited = true
	if m.name == "const" {
		n.values = []json.RawMessage{m.value}
		return
	}
	if kindOf(m.value) == isArray {
		n.values = nil
		items(m.value, func(item []byte) bool {
			n.values = append(n.values, item)
			return true
		})
	}
}

// checkCount keeps counts where the library's int holds them: beyond that it wraps around and refuses everything.
func checkCount(at string, raw []byte) error {
	if f, err := strconv.ParseFloat(string(raw), 64); kindOf(raw)&isNumber != 0 && (err != nil || f > math.MaxInt32) {
		return fmt.Errorf("%s: %s is too large", at, cut(string(raw), 40))
	}
	return nil
}

func draft2020(raw []byte) bool {
	s, _ := stringOf(raw)
	return strings.TrimSuffix(s, "#") == "https://json-schema.org/draft/2020-12/schema"
}

func (b *builder) branches(at string, raw []byte, doc any) (nodes []*node, err error) {
	if kindOf(raw) != isArray {
		return nil, fmt.Errorf("%s: must be a list of schemas, not %s", at, kindOf(raw))
	}
	docs, _ := doc.([]any)
	items(raw, func(item []byte) bool {
		i := len(nodes)
		if i >= len(docs) {
			return false
		}
		var n *node
		n, err = b.build(pointer(at, strconv.Itoa(i)), item, docs[i], false)
		nodes = append(nodes, n)
		return err == nil
	})
	return nodes, err
}

// reference finds the node that "#" or "#/a/b" means. Every other reference is the library's alone: then the node is nil.
func (b *builder) reference(raw []byte) (*node, error) {
	ref, _ := stringOf(raw)
	if b.ids || ref != "#" && !strings.HasPrefix(ref, "#/") || strings.Contains(ref, "%") {
		return nil, nil
	}
	at, text, doc := "#", b.raw, b.doc
	for _, token := range strings.Split(ref, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		at = pointer(at, token)
		var found []byte
		switch d := doc.(type) {
		case map[string]any:
			doc = d[token]
			members(text, func(m member) bool {
				if m.name == token {
					found = m.value
				}
				return found == nil
			})
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(d) {
				return nil, nil
			}
			doc = d[i]
			items(text, func(item []byte) bool {
				if i == 0 {
					found = item
				}
				i--
				return found == nil
			})
		}
		if found == nil {
			return nil, nil // the library names what is missing
		}
		text = found
	}
	if kindOf(text)&(isObject|isBoolean) == 0 {
		return nil, nil
	}
	return b.build(at, text, doc, false)
}
