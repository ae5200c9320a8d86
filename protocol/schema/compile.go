package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Limits of a schema.
const (
	maxSchemaBytes = 256 << 10
	maxSchemaDepth = 64
	maxSchemaNodes = 10_000
)

// location is the name under which the library knows the schema; nothing is ever loaded from it.
const location = "tool:///schema"

// Options says how a schema is read. The zero value is JSON Schema as it stands.
type Options struct {
	// Closed makes every object that lists its properties refuse members that it does not list, unless it says otherwise with
	// additionalProperties, patternProperties, unevaluatedProperties, a combinator or a reference. Objects inside
	// combinators and definitions stay as they are. It is for schemas that were written as Lua parameters, which do not
	// spell additionalProperties out; such a schema must also have defaults that fit.
	Closed bool
}

// Compile checks and compiles the schema of a tool's input or output. The root must be an object schema. Draft 2020-12 is
// meant unless "$schema" says otherwise; formats are checked; patterns are Go's (RE2). It never opens a file or URL, bounds
// the schema's size and the work it can cause, and recovers from the library's panics. Errors name the place by JSON pointer.
func Compile(raw json.RawMessage) (*Schema, error) { return Options{}.Compile(raw) }

// CompileClosed is [Compile] with [Options].Closed.
func CompileClosed(raw json.RawMessage) (*Schema, error) { return Options{Closed: true}.Compile(raw) }

// Compile is [Compile] with these options. raw is copied.
func (o Options) Compile(raw json.RawMessage) (*Schema, error) {
	raw = slices.Clone(raw)
	doc, err := decodeSchema(raw)
	if err != nil {
		return nil, err
	}
	b := &builder{raw: raw, doc: doc, closed: o.Closed, legacy: legacy(doc), byPtr: map[string]*node{}}
	root, err := b.build("#", trim(raw), doc, true)
	if err != nil {
		return nil, err
	}
	if err := checkRoot(doc); err != nil {
		return nil, err
	}
	compiled, err := compileDoc(doc)
	if err != nil {
		return nil, err
	}
	costs, err := measure(compiled)
	if err != nil {
		return nil, err
	}
	if err := b.link(); err != nil {
		return nil, err
	}
	bind(root, compiled)
	s := &Schema{raw: raw, root: root, compiled: compiled, costs: costs}
	if err := s.settleDefaults(b.nodes, o.Closed); err != nil {
		return nil, err
	}
	if rules, ok := makeRules(root); ok {
		s.rules = rules
	}
	s.signature = signature(root)
	return s, nil
}

func decodeSchema(raw []byte) (any, error) {
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Errorf("the schema has %d bytes, the limit is %d", len(raw), maxSchemaBytes)
	}
	r := newReader(raw)
	r.maxDepth, r.maxNodes = maxSchemaDepth, maxSchemaNodes
	doc, ok := r.value()
	if !ok || !r.end() {
		return nil, fmt.Errorf("the schema is no JSON: %w", r.err())
	}
	return doc, nil
}

// checkRoot demands what every client of tools demands: an object on top.
func checkRoot(doc any) error {
	object, ok := doc.(map[string]any)
	if !ok {
		return fmt.Errorf("#: a tool's schema must be an object with \"type\": \"object\", not %s", describe(doc))
	}
	switch t, has := object["type"]; {
	case !has:
		return errors.New(`#: a tool's schema must have "type": "object"`)
	case t != "object":
		return fmt.Errorf("#/type: a tool's schema must be of type \"object\", not %s", describe(t))
	}
	return nil
}

func legacy(doc any) bool {
	object, _ := doc.(map[string]any)
	s, _ := object["$schema"].(string)
	return strings.Contains(s, "/draft-0")
}

// refuse is the loader of every schema: what a schema needs must be in it.
type refuse struct{}

func (refuse) Load(url string) (any, error) {
	return nil, errors.New("only references inside the schema are followed")
}

func compileDoc(doc any) (sch *jsonschema.Schema, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("#: the schema cannot be compiled: %v", p)
		}
	}()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(refuse{})
	c.UseRegexpEngine(compilePattern)
	c.RegisterFormat(&jsonschema.Format{Name: "path", Validate: validPath})
	if err := c.AddResource(location, doc); err != nil {
		return nil, fmt.Errorf("#: %w", err)
	}
	sch, err = c.Compile(location)
	if err != nil {
		return nil, compileError(err)
	}
	return sch, nil
}

// compileError words what the library says about a schema.
func compileError(err error) error {
	if bad, ok := errors.AsType[*jsonschema.InvalidRegexError](err); ok {
		return fmt.Errorf("%s: pattern %s is not RE2: %w", place(bad.URL), quote(bad.Regex), bad.Err)
	}
	if bad, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return fmt.Errorf("#: refers to %s: %w", quote(bad.URL), bad.Err)
	}
	if bad, ok := errors.AsType[*jsonschema.JSONPointerNotFoundError](err); ok {
		return fmt.Errorf("%s: is referred to, but not there", place(bad.URL))
	}
	if bad, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if verr, ok := errors.AsType[*jsonschema.ValidationError](bad.Err); ok {
			return schemaFault(place(bad.URL), verr)
		}
	}
	return fmt.Errorf("#: %s", strings.ReplaceAll(err.Error(), location, ""))
}

// schemaFault names the first place at which a schema is none. Metaschemas are trees of allOf and references, so the deepest
// cause says it best.
func schemaFault(base string, verr *jsonschema.ValidationError) error {
	for len(verr.Causes) > 0 {
		deepest := verr.Causes[0]
		for _, c := range verr.Causes[1:] {
			if slices.Compare(c.InstanceLocation, deepest.InstanceLocation) < 0 {
				deepest = c
			}
		}
		verr = deepest
	}
	return fmt.Errorf("%s: %s", pointer(base, verr.InstanceLocation...), plainly(verr.ErrorKind))
}

// place is the pointer within the schema that a location of the library names.
func place(url string) string {
	if _, ptr, ok := strings.Cut(url, "#"); ok {
		return "#" + ptr
	}
	return "#"
}

// pattern is a regular expression with its size, which bounds the text that it is let loose on.
type pattern struct {
	*regexp.Regexp
	steps int
}

func compilePattern(s string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(s)
	if err != nil {
		return nil, err
	}
	parsed, err := syntax.Parse(s, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, err
	}
	return &pattern{re, len(prog.Inst)}, nil
}

// tooLong is the panic of a pattern that meets a text which would cost it minutes; judge recovers it.
type tooLong struct{ bytes int }

func (p *pattern) MatchString(s string) bool {
	if len(s)*p.steps > maxMatching {
		panic(tooLong{len(s)})
	}
	return p.Regexp.MatchString(s)
}

// validPath is the format "path": the name of a file or folder, absolute or not, as any operating system takes it.
func validPath(v any) error {
	s, ok := v.(string)
	switch {
	case !ok:
		return nil
	case s == "":
		return errors.New("is empty")
	case len(s) > 4096:
		return errors.New("is longer than 4096 bytes")
	case strings.ContainsFunc(s, func(c rune) bool { return c < 0x20 || c == 0x7f }):
		return errors.New("holds a control character")
	}
	return nil
}

// bind gives each node that the fast way may use its compiled schema.
func bind(n *node, sch *jsonschema.Schema) {
	if n == nil || sch == nil || n.compiled != nil {
		return
	}
	n.compiled = sch
	for _, f := range n.own {
		bind(f.node, sch.Properties[f.name])
	}
	if rest, ok := sch.AdditionalProperties.(*jsonschema.Schema); ok {
		bind(n.rest, rest)
	}
	bind(n.elem, sch.Items2020)
	if old, ok := sch.Items.(*jsonschema.Schema); ok {
		bind(n.elem, old)
	}
	bind(n.ref, sch.Ref)
	bindAll(n.allOf, sch.AllOf)
	bindAll(n.oneOf, sch.AnyOf)
	if len(sch.AnyOf) == 0 {
		bindAll(n.oneOf, sch.OneOf)
	}
}

func bindAll(nodes []*node, schemas []*jsonschema.Schema) {
	for i, n := range nodes {
		if i < len(schemas) {
			bind(n, schemas[i])
		}
	}
}
