package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

var fuzzTexts = []string{
	`{}`, `[]`, `null`, ` true `, `-0`, `1.5e3`, `1E+2`, `01`, `1.`, `-`, `1e401`, `1e400`, `1e308`, `"a"`, `"\u00e9\ud83d\ude00\ud800"`, `"\x"`, "\"\xff\"", "\"\x01\"", `[1,2,[3,{"a":[]}]]`,
	`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":1,}`, `[1,]`, `[,1]`, `{"a"}`, `{"a":1}}`, `nul`, `12345678901234567890123`, `{"location":"Bern","days":"3"}`,
	`{"location":"Bern","units":null,"place":{"lat":"1"},"stops":[{"at":"x"}]}`, `{"a":"True","b":{"c":[1,"2"]}}`,
}

var fuzzSchemas = []string{
	weather, ticket, `{"type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"object","properties":{"c":{"type":"array","items":{"type":"number"}}}}}}`,
	`{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"$defs":{"n":{"anyOf":[{"type":"null"},{"type":"object","properties":{"b":{"$ref":"#/$defs/n","default":null}}}]}}}`,
	`{"type":"object","additionalProperties":{"type":["integer","null"],"minimum":-5,"exclusiveMaximum":10.5},"minProperties":1,"maxProperties":3}`,
	`{"type":"object","properties":{"s":{"type":"string","pattern":"^a+$","minLength":1,"maxLength":3},"d":{"format":"date-time"},"n":{"multipleOf":3}}}`,
	`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"a":{"type":"string"}},"properties":{"a":{"$ref":"#/definitions/a","type":"integer"}}}`,
	`{"type":"object","allOf":[{"properties":{"a":{"default":1}}},{"required":["b"]}],"if":{"required":["c"]},"then":{"properties":{"d":{"default":{"x":[]}}}},"uniqueItems":true}`,
	`{"type":"object","$ref":"#"}`, `{"type":"object","properties":{"a":{"$ref":"#","default":{}}}}`, `{"type":"object","patternProperties":{"^x":false},"propertyNames":{"pattern":"^[a-z]"}}`,
	`{"type":"object","$dynamicAnchor":"n","properties":{"a":{"items":{"$dynamicRef":"#n"}}},"unevaluatedProperties":false}`, doubling(3), `{"type":"object","$id":"x:y","$anchor":"a","$vocabulary":{}}`,
	`{"type":"object","properties":{"a":{"enum":[1,"1",null,true,1.0,[1],{"a":1}]},"b":{"const":2}}}`,
}

// FuzzDecode: what decode accepts, encoding/json reads to the same values, and what encoding/json refuses, so does decode.
// Beyond that decode refuses only what is over a limit, not UTF-8, or there twice. skip agrees with it.
func FuzzDecode(f *testing.F) {
	for _, text := range fuzzTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, _, err := decode(b)
		if skipped := check(b); fmt.Sprint(skipped) != fmt.Sprint(err) {
			t.Fatalf("decode says %v, check says %v", err, skipped)
		}
		d := json.NewDecoder(bytes.NewReader(b))
		d.UseNumber()
		var want any
		wantErr := d.Decode(&want)
		valid := json.Valid(b)
		switch {
		case err == nil && (!valid || wantErr != nil):
			t.Fatalf("decode accepts %q", b)
		case err == nil && !reflect.DeepEqual(got, want):
			t.Fatalf("decode makes %#v of %q, encoding/json %#v", got, b, want)
		case err != nil && valid:
			for _, allowed := range []string{"twice", "UTF-8", "deeper", "more than", "exponent beyond", "too large for a float"} {
				if strings.Contains(err.Error(), allowed) {
					return
				}
			}
			t.Fatalf("decode refuses %q: %v", b, err)
		}
	})
}

// FuzzSchema: no text makes Compile or what follows it panic or hang, and the CLI's form of a schema passes the check of entries.
func FuzzSchema(f *testing.F) {
	for i, raw := range fuzzSchemas {
		f.Add([]byte(raw), []byte(fuzzTexts[i%len(fuzzTexts)]), i%2 == 0)
	}
	args := traced(f, "arguments")
	for i, raw := range traced(f, "inputSchema") {
		f.Add([]byte(raw), []byte(args[i%len(args)]), true)
	}
	f.Fuzz(func(t *testing.T, raw, args []byte, closed bool) {
		s, err := Options{Closed: closed}.Compile(raw)
		if err != nil {
			return
		}
		if len(s.Signature()) > maxSignature+16 {
			t.Errorf("a signature of %d bytes", len(s.Signature()))
		}
		_, _ = s.Normalize(args)
		out, _, err := ForCLI(raw)
		if err != nil {
			t.Fatalf("ForCLI: %v", err)
		}
		if err := CheckEntry([]byte(`{"name":"t","inputSchema":` + string(out) + `}`)); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if again, _, err := ForCLI(out); err != nil || !bytes.Equal(again, out) {
			t.Fatalf("ForCLI of %s is %s, %v", out, again, err)
		}
	})
}

// FuzzNormalize: what Normalize returns fits, and comes back unchanged; its errors are of the two kinds and bounded.
func FuzzNormalize(f *testing.F) {
	var schemas []*Schema
	for _, raw := range fuzzSchemas {
		if s, err := Compile(json.RawMessage(raw)); err == nil {
			schemas = append(schemas, s)
		}
		if s, err := CompileClosed(json.RawMessage(raw)); err == nil {
			schemas = append(schemas, s)
		}
	}
	for i, text := range fuzzTexts {
		for j := range 4 {
			f.Add(uint8(i+7*j), []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, args []byte) {
		s := schemas[int(which)%len(schemas)]
		normalizeTwice(t, s, args)
	})
}

func normalizeTwice(t *testing.T, s *Schema, args []byte) {
	got, err := s.Normalize(args)
	if err != nil {
		if v, ok := errors.AsType[*ViolationsError](err); ok {
			if len(v.Error()) >= 10_000 || len(v.Violations) == 0 {
				t.Fatalf("%d violations in %d bytes", len(v.Violations), len(v.Error()))
			}
		} else if _, ok := errors.AsType[*InputError](err); !ok {
			t.Fatalf("error %T %v", err, err)
		}
		return
	}
	v, r, err := decode(got)
	if err != nil {
		t.Fatalf("%s of %s cannot be read: %v", got, args, err)
	}
	if wrong, err := s.judge(v, r); err != nil || wrong != nil {
		t.Fatalf("%s of %s does not fit %s: %v %v", got, args, s.raw, wrong, err)
	}
	again, err := s.Normalize(got)
	if err != nil || !bytes.Equal(again, got) {
		t.Fatalf("%s becomes %s becomes %s, %v\nschema %s", args, got, again, err, s.raw)
	}
}

// FuzzRules makes a schema of usual keywords and a value near to it out of the input: what the rules accept, the library
// accepts, and lacking is never missed. Then the promises of FuzzNormalize.
func FuzzRules(f *testing.F) {
	for i := range 40 {
		seed := make([]byte, 60)
		for j := range seed {
			seed[j] = byte((i*7919 + j*104729) >> (j % 5))
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, choices []byte) {
		m := maker{choices: choices}
		raw := m.object(0, true)
		value := m.value(raw, 0)
		s, err := Compile(json.RawMessage(raw))
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if s.rules == nil {
			t.Fatalf("%s is not for the fast way", raw)
		}
		if r, ok := s.fits([]byte(value)); ok {
			v, lib, err := decode([]byte(value))
			if err != nil {
				t.Fatalf("the rules accept %s: %v", value, err)
			}
			if wrong, err := s.judge(v, lib); err != nil || wrong != nil {
				t.Fatalf("the rules accept %s\nschema %s\nlibrary: %v %v", value, raw, wrong, err)
			}
			if _, added, err := fillIn(s.root, []byte(value)); err != nil || added != r.lacking {
				t.Fatalf("lacking %v, added %v, %v: %s\nschema %s", r.lacking, added, err, value, raw)
			}
			if r.nodes != lib.nodes || r.deepest != lib.deepest {
				t.Fatalf("the rules count %d values, %d levels; decode %d, %d", r.nodes, r.deepest, lib.nodes, lib.deepest)
			}
		}
		normalizeTwice(t, s, []byte(value))
	})
}

// maker builds texts out of a list of choices.
type maker struct {
	choices []byte
	i       int
}

func (m *maker) pick(n int) int {
	if m.i >= len(m.choices) {
		return 0
	}
	m.i++
	return int(m.choices[m.i-1]) % n
}

func (m *maker) one(of ...string) string { return of[m.pick(len(of))] }

func (m *maker) schema(depth int) string {
	if depth > 3 {
		return "true"
	}
	switch m.pick(9) {
	case 0:
		return m.object(depth, false)
	case 1:
		return m.join(`"type":"array"`, m.one("", `"minItems":1`, `"maxItems":2`), `"items":`+m.schema(depth+1))
	case 2:
		return m.join(`"type":"integer"`, m.one("", `"minimum":3`, `"exclusiveMinimum":-1`, `"minimum":-0.5`), m.one("", `"maximum":10`, `"exclusiveMaximum":9007199254740993`, `"maximum":1e3`),
			m.one("", `"multipleOf":3`), m.one("", `"default":6`, `"default":4`))
	case 3:
		return m.join(m.one(`"type":"number"`, `"type":["number","null"]`, ``), m.one("", `"minimum":1`, `"exclusiveMinimum":0.1`), m.one("", `"maximum":100.25`))
	case 4:
		return m.join(m.one(`"type":"string"`, `"type":["string","integer"]`), m.one("", `"minLength":1`, `"maxLength":2`), m.one("", `"pattern":"^[a-zé]*$"`), m.one("", `"format":"date"`, `"format":"path"`),
			m.one("", `"default":"a"`))
	case 5:
		return m.join(m.one("", `"type":"string"`, `"type":["string","null","integer"]`), `"enum":["a","é",null,1,true,"\u0062"]`, m.one("", `"default":"a"`))
	case 6:
		return m.join(m.one(`"type":"boolean"`, `"type":"null"`, `"type":"object"`, `"type":"array"`))
	case 7:
		return m.one("true", "{}", `{"const":1}`, `{"const":"a"}`)
	}
	return m.join(`"title":"t"`, `"properties":{"a":`+m.schema(depth+1)+`}`)
}

func (m *maker) object(depth int, root bool) string {
	var props []string
	for _, name := range []string{"a", "b", "c", "é"}[:m.pick(5)] {
		props = append(props, `"`+name+`":`+m.schema(depth+1))
	}
	required := ""
	if len(props) > 0 {
		required = m.one("", `"required":["a"]`)
	}
	return m.join(`"type":"object"`, `"properties":{`+strings.Join(props, ",")+`}`, required, m.one("", `"additionalProperties":false`, `"additionalProperties":`+m.schema(depth+1)),
		m.one("", `"minProperties":1`, `"maxProperties":2`))
}

func (m *maker) join(parts ...string) string {
	var some []string
	for _, p := range parts {
		if p != "" {
			some = append(some, p)
		}
	}
	return "{" + strings.Join(some, ",") + "}"
}

// value makes a value that may fit raw, for it follows the schema's shape most of the time.
func (m *maker) value(raw string, depth int) string {
	var s struct {
		Type       any
		Properties map[string]json.RawMessage
		Items      json.RawMessage
	}
	_ = json.Unmarshal([]byte(raw), &s)
	kind, _ := s.Type.(string)
	if m.pick(12) == 0 || depth > 6 {
		kind = m.one("string", "integer", "number", "array", "object", "null")
	}
	switch kind {
	case "object":
		var members []string
		for _, name := range []string{"a", "b", "c", "é", "x"} {
			if m.pick(3) > 0 {
				key := name
				if m.pick(6) == 0 {
					key = strings.ReplaceAll(name, "a", `\u0061`)
				}
				members = append(members, m.one("", " ")+`"`+key+`":`+m.value(string(s.Properties[name]), depth+1))
			}
		}
		return "{" + strings.Join(members, ",") + m.one("", " ", ` `) + "}"
	case "array":
		var list []string
		for range m.pick(4) {
			list = append(list, m.value(string(s.Items), depth+1))
		}
		return "[" + strings.Join(list, " ,") + "]"
	case "integer":
		return m.one("6", "3", "0", "-0", "9", "10", "999", "9007199254740992", "9007199254740993", "123456789012345678901", "1.0", "1e1", `"6"`)
	case "number":
		return m.one("1", "0.1", "0.10", "0.1000000000000000055511151231257827", "100.25", "1e2", "1E-400", "1e400", "-3", "true", `"1"`)
	case "boolean":
		return m.one("true", "false", `"True"`, "null")
	case "null":
		return "null"
	}
	return m.one(`"a"`, `"é"`, `"\u00e9"`, `""`, `"b"`, `"abc"`, `"2026-01-31"`, `"\ud800"`, "null", "1", "true", `"A"`, `"1"`, `"null"`)
}

// FuzzParseCalls: calls have arguments that are objects, and nothing panics.
func FuzzParseCalls(f *testing.F) {
	for _, prompt := range []string{"", "ticket title=a", "ticket\n", `ticket title="a \"b" count=1`, `db/query {"a":1}`, "ticket tags=[1, 2]", "broken x='", "What?", "ticket a", "ticket =", "ticket\x00=\xff"} {
		f.Add(prompt)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		calls, ok, err := ParseCalls(prompt, lookupTicket)
		if (!ok || err != nil) && calls != nil || ok && err == nil && len(calls) == 0 || !ok && err != nil {
			t.Fatalf("%v, %v, %v", calls, ok, err)
		}
		for _, c := range calls {
			if v, _, err := decode(c.Arguments); err != nil || reflect.TypeOf(v) != reflect.TypeFor[map[string]any]() {
				t.Fatalf("arguments %s: %v", c.Arguments, err)
			}
		}
	})
}
