package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func compile(t testing.TB, raw string) *Schema {
	t.Helper()
	s, err := Compile(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("Compile(%s): %v", raw, err)
	}
	return s
}

func compileClosed(t testing.TB, raw string) *Schema {
	t.Helper()
	s, err := CompileClosed(json.RawMessage(raw))
	if err != nil {
		t.Fatalf("CompileClosed(%s): %v", raw, err)
	}
	return s
}

func TestCompileRefusesWithThePlace(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"no JSON", `{"type":`, "the schema is no JSON"},
		{"a root that is a list", `[]`, "a schema must be an object"},
		{"a root that is true", `true`, `must be an object with "type"`},
		{"an empty root", `{}`, `#: a tool's schema must have "type": "object"`},
		{"a root of another type", `{"type":"string"}`, `#/type: a tool's schema must be of type "object"`},
		{"a root of several types", `{"type":["object","null"]}`, `#/type`},
		{"an unknown type, with a suggestion", `{"type":"object","properties":{"env":{"type":"strng"}}}`, `#/properties/env/type: unknown type "strng" (did you mean 'string'?)`},
		{"properties as a list", `{"type":"object","properties":[]}`, `#/properties: must be an object, not array`},
		{"required as an object", `{"type":"object","required":{}}`, `#/required: must be a list, not object`},
		{"required with a number", `{"type":"object","required":[1]}`, `#/required: must be a list of names`},
		{"a property that is no schema", `{"type":"object","properties":{"a":"string"}}`, `#/properties/a: a schema must be an object, not string`},
		{"a pattern that Go cannot compile", `{"type":"object","properties":{"a":{"type":"string","pattern":"(?=x)"}}}`, `#/properties/a/pattern: pattern "(?=x)" is not RE2`},
		{"a keyword of the wrong type", `{"type":"object","properties":{"a":{"type":"string","minLength":"1"}}}`, `#/properties/a/minLength: want an integer, got string`},
		{"a negative count", `{"type":"object","properties":{"a":{"type":"string","minLength":-1}}}`, `#/properties/a/minLength: -1 is below the minimum 0`},
		{"a count beyond any", `{"type":"object","properties":{"a":{"type":"string","maxLength":1e300}}}`, `#/properties/a/maxLength: 1e300 is too large`},
		{"a reference to a file", `{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`, `only references inside the schema are followed`},
		{"a reference to a URL", `{"type":"object","properties":{"a":{"$ref":"https://example.com/x.json"}}}`, `only references inside the schema are followed`},
		{"a reference to nothing", `{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}}`, `#/$defs/b: is referred to, but not there`},
		{"a circle without going deeper", `{"type":"object","$ref":"#"}`, `refers to itself without going deeper`},
		{"a member twice", `{"type":"object","type":"object"}`, `the member "type" twice`},
		{"an exponent that would cost seconds", `{"type":"object","properties":{"a":{"maximum":1e999999}}}`, `exponent beyond 400`},
		{"too many bytes", `{"type":"object","title":"` + strings.Repeat("x", maxSchemaBytes) + `"}`, "the limit is"},
		{"too many values", `{"type":"object","enum":[` + strings.Repeat("1,", maxSchemaNodes) + `1]}`, "more than 10000 values"},
		{"too deep", strings.Repeat(`{"type":"object","additionalProperties":`, 70) + "true" + strings.Repeat("}", 70), "nested deeper than 64"},
		{"branches that double", doubling(16), "too many branches"},
		{"a metaschema from elsewhere", `{"$schema":"https://example.com/schema","type":"object"}`, "only references inside"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Compile(json.RawMessage(tt.raw))
			if err == nil || s != nil {
				t.Fatalf("compiled, want an error with %q", tt.want)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q, want %q in it", err, tt.want)
			}
		})
	}
}

// doubling is a chain of definitions each of which asks twice for the next.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{}}}`, n)
	return b.String()
}

func TestCompileClosedRefuses(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"a default that does not fit", `{"type":"object","properties":{"n":{"type":"integer","default":"x"}}}`, `#/properties/n: the default "x" does not fit: want an integer, got the string "x"`},
		{"required without a property", `{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}`, `#: required names "b", which properties does not have`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := CompileClosed(json.RawMessage(tt.raw)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

func TestCompileLeavesOutDefaultsThatDoNotFit(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"n":{"type":"integer","default":null},"m":{"type":"integer","default":2}}}`)
	if w := s.Warnings(); len(w) != 1 || !strings.Contains(w[0], "#/properties/n: the default null does not fit") {
		t.Errorf("warnings %q", w)
	}
	if got, err := s.Normalize([]byte(`{}`)); err != nil || string(got) != `{"m":2}` {
		t.Errorf("Normalize = %s, %v", got, err)
	}
}

func TestCompileCopiesItsInput(t *testing.T) {
	raw := []byte(`{"type":"object","properties":{"a":{"type":"string","default":"x"}}}`)
	s := compile(t, string(raw))
	again, err := Compile(raw)
	if err != nil {
		t.Fatal(err)
	}
	clear(raw)
	if string(again.Raw()) != string(s.Raw()) {
		t.Errorf("Raw = %s", again.Raw())
	}
	if got, _ := again.Normalize([]byte(`{}`)); string(got) != `{"a":"x"}` {
		t.Errorf("Normalize = %s", got)
	}
}

func TestValuesTooCostlyToJudgeAreRefused(t *testing.T) {
	twice := compile(t, `{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"anyOf":[
		{"items":{"$ref":"#/$defs/n"},"minItems":2},{"items":{"$ref":"#/$defs/n"},"minItems":3}],"not":{"type":"string"}}}}`)
	unique := compile(t, `{"type":"object","properties":{"a":{"uniqueItems":true}}}`)
	matched := compile(t, `{"type":"object","properties":{"a":{"type":"string","pattern":"(a|b|c){1,900}$"}}}`)
	for _, tt := range []struct {
		name string
		s    *Schema
		args string
		want string
	}{
		{"branches that double with each level", twice, `{"a":` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + `}`, "too deeply nested"},
		{"a long list that must not repeat", unique, `{"a":[` + strings.Repeat("1,", maxUnique) + `1]}`, "must not repeat"},
		{"a long text for a large pattern", matched, `{"a":"` + strings.Repeat("x", 1<<20) + `"}`, "too long for the pattern"},
		{"an exponent", twice, `{"a":1e999999}`, "exponent beyond 400"},
		{"nesting", twice, strings.Repeat(`{"a":`, 101) + "1" + strings.Repeat("}", 101), "nested deeper than 100"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.s.Normalize([]byte(tt.args))
			if _, ok := errors.AsType[*InputError](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want an InputError with %q", err, tt.want)
			}
		})
	}
}
