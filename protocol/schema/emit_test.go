package schema

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestForCLI(t *testing.T) {
	for _, tt := range []struct{ name, raw, want string }{
		{"what is right keeps its bytes", `{ "type":"object", "properties":{"a":{"type":"string"}}, "required":["a"] }`, `{ "type":"object", "properties":{"a":{"type":"string"}}, "required":["a"] }`},
		{"properties and required are always there", `{"type":"object"}`, `{"type":"object","properties":{},"required":[]}`},
		{"an untyped property gets every type", `{"type":"object","properties":{"a":{}},"required":[]}`, `{"type":"object","properties":{"a":{"type":["string","number","boolean","object","array","null"]}},"required":[]}`},
		{"true gets every type", `{"type":"object","properties":{"a":true},"required":[]}`, `{"type":"object","properties":{"a":{"type":["string","number","boolean","object","array","null"]}},"required":[]}`},
		{"false gets what says the same as an object", `{"type":"object","properties":{"a":false},"required":[]}`, `{"type":"object","properties":{"a":{"type":["string","number","boolean","object","array","null"],"not":{}}},"required":[]}`},
		{"an enum gets the types of its values", `{"type":"object","properties":{"a":{"enum":["x",1]}},"required":[]}`, `{"type":"object","properties":{"a":{"type":["string","integer"],"enum":["x",1]}},"required":[]}`},
		{"a reference gets the type of what it means", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"required":[],"$defs":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string","$ref":"#/$defs/a"}},"required":[],"$defs":{"a":{"type":"string"}}}`},
		{"nested properties too", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"anyOf":[{"type":"null"},{"type":"string"}]}}}}},"required":[]}`,
			`{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{"b":{"type":["string","null"],"anyOf":[{"type":"null"},{"type":"string"}]}}}}},"required":[]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings, err := ForCLI(json.RawMessage(tt.raw))
			if err != nil || string(got) != tt.want || warnings != nil {
				t.Errorf("got %s, %q, %v\nwant %s", got, warnings, err, tt.want)
			}
			if err := CheckEntry(json.RawMessage(`{"name":"t","inputSchema":` + string(got) + `}`)); err != nil {
				t.Errorf("CheckEntry: %v", err)
			}
		})
	}
}

func TestForCLILeavesOutCombinatorsAndSaysSo(t *testing.T) {
	got, warnings, err := ForCLI([]byte(`{"type":"object","anyOf":[{"required":["a"]}],"properties":{"a":{"type":"string"}},"allOf":[],"required":[],"oneOf":[{}]}`))
	if err != nil || string(got) != `{"type":"object","properties":{"a":{"type":"string"}},"required":[]}` {
		t.Errorf("got %s, %v", got, err)
	}
	if len(warnings) != 3 || !strings.HasPrefix(warnings[0], "anyOf at the top is not shown to the Claude CLI") {
		t.Errorf("warnings %q", warnings)
	}
}

func TestForCLIRefusesARootThatIsNoObject(t *testing.T) {
	for _, raw := range []string{`{}`, `[]`, `{"type":"string"}`, `{"type":"object","properties":[]}`, `x`} {
		if out, _, err := ForCLI(json.RawMessage(raw)); err == nil {
			t.Errorf("ForCLI(%s) = %s", raw, out)
		}
	}
}

func TestCheckEntryFindsWhatEmptiesAServer(t *testing.T) {
	const input = `"inputSchema":{"type":"object","properties":{"a":{}},"required":["a"]}`
	if err := CheckEntry([]byte(`{"name":"a-B_1","description":"x",` + input + `,"annotations":{},"_meta":{},"outputSchema":{"type":"object"}}`)); err != nil {
		t.Errorf("a good one: %v", err)
	}
	for _, tt := range []struct{ name, entry, want string }{
		{"no JSON", `{`, "quotes"},
		{"no object", `[]`, "a tool must be an object"},
		{"no name", `{` + input + `}`, "name must be a string, not null"},
		{"a name that is a number", `{"name":1,` + input + `}`, "name must be a string"},
		{"a name with a space", `{"name":"a b",` + input + `}`, "letters, digits"},
		{"an empty name", `{"name":"",` + input + `}`, "letters, digits"},
		{"a long name", `{"name":"` + strings.Repeat("a", 65) + `",` + input + `}`, "longer than 64"},
		{"a description that is no string", `{"name":"a","description":{},` + input + `}`, "description must be a string"},
		{"no schema", `{"name":"a"}`, "inputSchema: must be an object, not null"},
		{"an empty schema", `{"name":"a","inputSchema":{}}`, `inputSchema: must have "type": "object"`},
		{"another top type", `{"name":"a","inputSchema":{"type":"array"}}`, `must have "type": "object"`},
		{"properties as a list", `{"name":"a","inputSchema":{"type":"object","properties":[]}}`, "properties must be an object, not a list"},
		{"a property that is no schema", `{"name":"a","inputSchema":{"type":"object","properties":{"x":"string"}}}`, `properties: "x" must be an object, not the string "string"`},
		{"a property that is true", `{"name":"a","inputSchema":{"type":"object","properties":{"x":true}}}`, `properties: "x" must be an object, not the boolean true`},
		{"required as an object", `{"name":"a","inputSchema":{"type":"object","required":{}}}`, "required must be a list, not an object"},
		{"required with a number", `{"name":"a","inputSchema":{"type":"object","required":[1]}}`, "required must be a list of names"},
		{"an output schema of another type", `{"name":"a",` + input + `,"outputSchema":{"type":"string"}}`, "outputSchema: must have"},
		{"annotations that are a list", `{"name":"a",` + input + `,"annotations":[]}`, "annotations must be an object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := CheckEntry([]byte(tt.entry)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

func TestSignature(t *testing.T) {
	for _, tt := range []struct{ name, properties, want string }{
		{"nothing", ``, ``},
		{"in the order of the schema, optional ones marked", `"location":{"type":"string"},"units":{"enum":["celsius","fahrenheit"]}`, `location: string, units?: "celsius"|"fahrenheit"`},
		{"lists", `"a":{"type":"array","items":{"type":"string"}},"b":{"type":"array"},"c":{"type":"array","items":{"enum":["x","y"]}},"d":{"type":"array","items":{"enum":["x|y"]}}`,
			`a?: string[], b?: any[], c?: ("x"|"y")[], d?: "x|y"[]`},
		{"nested objects", `"a":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name"]}`, `a?: {name: string, age?: integer}`},
		{"defaults", `"limit":{"type":"integer","default":100},"s":{"default":"x"}`, `limit?: integer = 100, s?: any = "x"`},
		{"several types", `"a":{"type":["string","null"]},"b":{"anyOf":[{"type":"integer"},{"type":"array","items":{"type":"integer"}}]}`, `a?: string|null, b?: integer|integer[]`},
		{"maps and open objects", `"a":{"type":"object","additionalProperties":{"type":"number"}},"b":{"type":"object"}`, `a?: {[string]: number}, b?: object`},
		{"references", `"a":{"$ref":"#/$defs/a"}`, `a?: integer`},
		{"what refers to itself ends", `"a":{"$ref":"#"}`, `a?: {a?: {a?: {a?: {…}}}}`},
		{"deep ones are cut", `"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"object","properties":{"d":{"type":"object","properties":{"e":{}}}}}}}}}`, `a?: {b?: {c?: {d?: {…}}}}`},
		{"odd names", `"a b":{}`, `"a b"?: any`},
		{"a long enum", `"a":{"enum":[1,2,3,4,5,6,7,8,9,10,11,12]}`, `a?: 1|2|3|4|5|6|7|8|…`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := compile(t, `{"type":"object","properties":{`+tt.properties+`},"$defs":{"a":{"type":"integer"}}}`)
			if strings.HasPrefix(tt.properties, `"location"`) {
				s = compile(t, `{"type":"object","properties":{`+tt.properties+`},"required":["location"]}`)
			}
			if got := s.Signature(); got != tt.want {
				t.Errorf("got %s\nwant %s", got, tt.want)
			}
		})
	}
	long := compile(t, manyProperties(200)).Signature()
	if len(long) > maxSignature+10 || !strings.HasSuffix(long, ", …") {
		t.Errorf("%d bytes: …%s", len(long), long[len(long)-20:])
	}
}
