package schema

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestHostileSchemasAreBounded: schemas and values made to cost much end, accepted or refused, in a time that a person can wait.
func TestHostileSchemasAreBounded(t *testing.T) {
	repeat := func(n int, f string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, f, i)
		}
		return b.String()
	}
	for _, tt := range []struct{ name, schema, args string }{
		{"many references to what is no schema", `{"type":"object","default":{` + repeat(1200, `"d%d":{}`) + `},"properties":{` + repeat(1200, `"p%[1]d":{"$ref":"#/default/d%[1]d"}`) + `}}`, `{"p1":1}`},
		{"a long chain of references", `{"type":"object","$ref":"#/$defs/d0","$defs":{` + repeat(3000, `"d%[1]d":{"$ref":"#/$defs/e%[1]d"}`) + `,` + repeat(3000, `"e%d":{}`) + `}}`, `{}`},
		{"a chain through thousands of definitions", `{"type":"object","$ref":"#/$defs/d2000","$defs":{"d0":{},` + chain(2000) + `}}`, `{}`},
		{"many identifiers", `{"type":"object","$defs":{` + repeat(3000, `"d%[1]d":{"$id":"x:%[1]d"}`) + `}}`, `{}`},
		{"many anchors", `{"type":"object","properties":{` + repeat(2400, `"d%[1]d":{"$anchor":"a%[1]d","$ref":"#a%[1]d"}`) + `}}`, `{}`},
		{"many properties", `{"type":"object","properties":{` + repeat(6000, `"d%d":{}`) + `}}`, `{` + repeat(6000, `"d%d":1`) + `}`},
		{"references that repeat many properties", `{"type":"object","$defs":{"m":{"properties":{` + repeat(3000, `"p%d":{}`) + `}}},"properties":{` + repeat(1500, `"q%d":{"$ref":"#/$defs/m","properties":{"x":{}}}`) + `}}`, `{}`},
		{"defaults within defaults", nestedDefaults(40), `{}`},
		{"a list whose every item is wrong", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`, `{"a":[` + strings.Repeat("1,", 100_000) + `1]}`},
		{"a large enum for a long list", `{"type":"object","properties":{"a":{"items":{"enum":[` + strings.Repeat("1.5,", 5000) + `2]}}}}`, `{"a":[` + strings.Repeat("2.0,", 100_000) + `2]}`},
		{"branches that double, within the limit", `{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"anyOf":[{"items":{"$ref":"#/$defs/n"},"minItems":2},{"items":{"$ref":"#/$defs/n"},"minItems":3}]}}}`,
			`{"a":` + strings.Repeat("[", 15) + strings.Repeat("]", 15) + `}`},
		{"a large default in every item", `{"type":"object","properties":{"a":{"items":{"type":"object","properties":{"d":{"default":"` + strings.Repeat("x", 60_000) + `"}}}}}}`, `{"a":[` + strings.Repeat("{},", 50_000) + `{}]}`},
		{"unknown names without end", `{"type":"object","properties":{` + repeat(2000, `"name%d":{}`) + `},"additionalProperties":false}`, `{` + repeat(20_000, `"nome%d":1`) + `}`},
		{"strings of JSON in strings", `{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"$ref":"#/properties/a"}}}}`, `{"a":` + nestedStrings(14) + `}`},
		{"a metaschema as the schema of a value", `{"type":"object","properties":{"s":{"$ref":"https://json-schema.org/draft/2020-12/schema"}}}`, `{"s":{"allOf":[{"allOf":[{"allOf":[{"not":{"type":1}}]}]}]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			began := time.Now()
			s, err := Compile(json.RawMessage(tt.schema))
			compiled := time.Since(began)
			if err == nil {
				_, err = s.Normalize(json.RawMessage(tt.args))
			}
			took := time.Since(began)
			text := "fits"
			if err != nil {
				text = cut(err.Error(), 120)
			}
			t.Logf("compiled in %v, judged in %v: %s", compiled, took-compiled, text)
			if took > 20*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
}

// chain is n definitions, each of which refers to the one before it.
func chain(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if i > 1 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"d%d":{"$ref":"#/$defs/d%d"}`, i, i-1)
	}
	return b.String()
}

// nestedDefaults is a chain of definitions each of which has the next twice, with defaults all along.
func nestedDefaults(n int) string {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d0","default":{}}},"$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d","default":{}},"b":{"$ref":"#/$defs/d%d","default":{}}}},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{}}}`, n)
	return b.String()
}

// nestedStrings is an object within a string within an object within a string, and so on.
func nestedStrings(n int) string {
	text := `{}`
	for range n {
		quoted, _ := json.Marshal(text)
		text = `{"a":` + string(quoted) + `}`
	}
	return text
}
