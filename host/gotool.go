package host

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/mcp"
	"github.com/luatools/luatools/protocol/schema"
)

// Tool is a tool written in Go. [NewTool] makes one of a function; a literal gives full control.
type Tool struct {
	Server                string // default "go"
	Definition            mcp.Tool
	ReadOnly, Destructive bool // ReadOnly is a hint to clients; Destructive makes the default policy ask
	// Call runs the tool; its arguments have passed the input schema, repaired and with defaults. An error becomes a result
	// with isError that the model reads. The context ends with the call, at the host's CallTimeout at the latest; a tool that
	// goes on after that holds up the end of its session.
	Call func(context.Context, json.RawMessage) (*mcp.CallToolResult, error)

	place string // where it was made, for errors
	err   error  // of NewTool; New reports it
}

// NewTool makes a tool of a Go function. In is a struct, or a map with string keys; its schema comes from the type: the json
// tag names a property, omitempty or omitzero makes it optional, and the jsonschema tag is its description. Unknown properties are refused.
//
// Of Out, a string becomes a text; a *mcp.CallToolResult is sent as it is; a struct or map becomes structuredContent beside its JSON as
// text, and the tool declares its schema; any other type becomes its JSON as text. An error of fn becomes a result with isError.
//
// A name or type that cannot be used is reported by [New].
func NewTool[In, Out any](name, description string, fn func(context.Context, In) (Out, error)) Tool {
	t := Tool{Definition: mcp.Tool{Name: name, Description: description}}
	if _, file, line, ok := runtime.Caller(1); ok {
		t.place = fmt.Sprintf("%s:%d", filepath.Base(file), line)
	}
	var errIn, errOut error
	t.Definition.InputSchema, errIn = inferSchema[In](true)
	structured := isObject(reflect.TypeFor[Out]()) && reflect.TypeFor[Out]() != reflect.TypeFor[*mcp.CallToolResult]()
	if structured {
		t.Definition.OutputSchema, errOut = inferSchema[Out](false)
	}
	if t.err = cmp.Or(errIn, errOut); t.err != nil {
		return t
	}
	t.Call = func(ctx context.Context, args json.RawMessage) (*mcp.CallToolResult, error) {
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, fmt.Errorf("arguments: %w", err)
		}
		out, err := fn(ctx, in)
		if err != nil {
			return nil, err
		}
		return resultOf(out, structured)
	}
	return t
}

// resultOf makes the result of what a Go function returned.
func resultOf(out any, structured bool) (*mcp.CallToolResult, error) {
	switch v := out.(type) {
	case *mcp.CallToolResult:
		return v, nil
	case string:
		return mcp.TextResult(v), nil
	}
	text, err := marshal(out)
	if err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	res := mcp.TextResult(string(text))
	if structured && !bytes.Equal(text, []byte("null")) {
		res.StructuredContent = text
	}
	return res, nil
}

// marshal is json.Marshal without the escapes for HTML.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// isObject reports whether values of t are JSON objects: structs, maps, and pointers to them.
func isObject(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind() == reflect.Struct || t.Kind() == reflect.Map
}

// inferSchema makes the schema of T: an object with properties and required, as every client takes it.
func inferSchema[T any](input bool) (json.RawMessage, error) {
	t := reflect.TypeFor[T]()
	if !isObject(t) {
		return nil, fmt.Errorf("input type %s: want a struct, or a map with string keys", t)
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s, err := jsonschema.ForType(t, nil)
	if err != nil {
		return nil, err
	}
	if s.Type != "object" {
		return nil, fmt.Errorf("type %s is no JSON object", t)
	}
	tidy(s, input)
	text, err := marshal(s)
	if err != nil {
		return nil, err
	}
	raw := withMember(withMember(text, "properties", []byte("{}")), "required", []byte("[]"))
	return raw, nil
}

// tidy gives every property a type, because clients judge what has none as they like, and takes back the null that the library allows for each
// slice of an input: models take it for an invitation.
func tidy(s *jsonschema.Schema, input bool) {
	if s == nil {
		return
	}
	if input && slices.Equal(s.Types, []string{"null", "array"}) {
		s.Types, s.Type = nil, "array"
	}
	for _, p := range s.Properties {
		if p.Type == "" && p.Types == nil {
			p.Types = []string{"string", "number", "integer", "boolean", "object", "array", "null"}
		}
		tidy(p, input)
	}
	tidy(s.Items, input)
	tidy(s.AdditionalProperties, input)
}

// fromGo makes the registry's entry of the i-th Go tool, or says what is wrong with it.
func fromGo(i int, t Tool, top string) (*tool, error) {
	t.Server = cmp.Or(t.Server, "go")
	t.place = cmp.Or(t.place, fmt.Sprintf("Options.Tools[%d]", i))
	name := ToolName{t.Server, t.Definition.Name}
	err := cmp.Or(t.err, name.check())
	if err == nil {
		switch {
		case t.Definition.Description == "":
			err = errors.New("no description")
		case t.Call == nil:
			err = errors.New("no function to call")
		}
	}
	var input *schema.Schema
	if err == nil {
		t.Definition.InputSchema = cmpRaw(t.Definition.InputSchema, `{"type":"object","properties":{},"required":[],"additionalProperties":false}`)
		if input, err = schema.Compile(t.Definition.InputSchema); err != nil {
			err = fmt.Errorf("input schema: %w", err)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("go tool %q (%s): %w", t.Definition.Name, t.place, err)
	}
	if t.ReadOnly {
		t.Definition.Annotations = withMember(t.Definition.Annotations, "readOnlyHint", []byte("true"))
	}
	if t.Destructive {
		t.Definition.Annotations = withMember(t.Definition.Annotations, "destructiveHint", []byte("true"))
	}
	e := &tool{name: name, def: t.Definition, input: input, native: &t, always: true}
	why := ""
	if t.Destructive {
		why = "it is destructive"
	}
	if e.finish(top, why); e.noCLI != nil {
		return nil, fmt.Errorf("go tool %q (%s): %w", name.Tool, t.place, e.noCLI)
	}
	return e, nil
}

func cmpRaw(raw json.RawMessage, or string) json.RawMessage {
	if raw == nil {
		return json.RawMessage(or)
	}
	return raw
}

// settle refuses what a Go tool made and no line can carry, and takes line breaks out of raw JSON. It does that in a copy: the tool may hand the
// same result to several calls.
func settle(res *mcp.CallToolResult) (*mcp.CallToolResult, error) {
	if res == nil {
		return nil, errors.New("the tool returned no result")
	}
	if res.StructuredContent != nil && !protocol.IsObject(res.StructuredContent) {
		return nil, errors.New("structuredContent is no JSON object")
	}
	broken, lines := false, false
	eachRaw(res, func(raw *json.RawMessage) {
		broken = broken || !json.Valid(*raw)
		lines = lines || bytes.ContainsAny(*raw, "\r\n")
	})
	switch {
	case broken:
		return nil, errors.New("a raw JSON field of the result is not JSON")
	case !lines:
		return res, nil
	}
	out := *res
	out.Content = slices.Clone(res.Content)
	eachRaw(&out, func(raw *json.RawMessage) {
		var b bytes.Buffer
		if json.Compact(&b, *raw) == nil { // it is valid
			*raw = b.Bytes()
		}
	})
	return &out, nil
}

// eachRaw calls f with every field of res that is JSON text and is there.
func eachRaw(res *mcp.CallToolResult, f func(*json.RawMessage)) {
	call := func(raw *json.RawMessage) {
		if *raw != nil {
			f(raw)
		}
	}
	call(&res.StructuredContent)
	call(&res.Meta)
	for i := range res.Content {
		c := &res.Content[i]
		call(&c.Resource)
		call(&c.Annotations)
		call(&c.Meta)
	}
}
