package luabind

import (
	"encoding/json"
	"testing"

	"github.com/luatools/luatools/protocol/schema"
)

const anyText = `{"type":["string","number","boolean","object","array","null"]}`

// Every form of a parameter, with the property it becomes and, where it differs, what the gate judges by.
func TestParameterForms(t *testing.T) {
	for _, tt := range []struct {
		name, lua, shown, gate string
		optional               bool
	}{
		{"string", `"string"`, `{"type":"string"}`, "", false},
		{"number", `"number"`, `{"type":"number"}`, "", false},
		{"integer", `"integer"`, `{"type":"integer"}`, "", false},
		{"boolean", `"boolean"`, `{"type":"boolean"}`, "", false},
		{"object, of any kind", `"object"`, `{"type":"object"}`, "", false},
		{"any is the list of all types", `"any"`, anyText, "", false},
		{"a question mark makes it optional", `"string?"`, `{"type":"string"}`, "", true},
		{"a list", `"string[]"`, `{"type":"array","items":{"type":"string"}}`, "", false},
		{"a list of lists", `"number[][]"`, `{"type":"array","items":{"type":"array","items":{"type":"number"}}}`, "", false},
		{"an optional list of anything", `"any[]?"`, `{"type":"array","items":` + anyText + `}`, "", true},
		{"an enum", `{ "bug", "feature", "task" }`, `{"type":"string","enum":["bug","feature","task"]}`, "", false},
		{"an enum of numbers", `{ 1, 2.5 }`, `{"type":"number","enum":[1,2.5]}`, "", false},
		{"an enum of different types", `{ "auto", 1, true }`, `{"type":["string","number","boolean"],"enum":["auto",1,true]}`, "", false},
		{"a nested object is closed for the gate alone", `{ name = "string", age = "integer?" }`,
			`{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name"]}`,
			`{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer"}},"required":["name"],"additionalProperties":false}`, false},
		{"a nested object of optional fields has no required", `{ age = "integer?" }`, `{"type":"object","properties":{"age":{"type":"integer"}}}`,
			`{"type":"object","properties":{"age":{"type":"integer"}},"additionalProperties":false}`, false},
		{"a field called type is a field when its type is none of JSON's", `{ type = "string[]", name = "string" }`,
			`{"type":"object","properties":{"type":{"type":"array","items":{"type":"string"}},"name":{"type":"string"}},"required":["type","name"]}`,
			`{"type":"object","properties":{"type":{"type":"array","items":{"type":"string"}},"name":{"type":"string"}},"required":["type","name"],"additionalProperties":false}`, false},
		{"a field called type, written long", `{ type = param.string("Kind") }`,
			`{"type":"object","properties":{"type":{"type":"string","description":"Kind"}},"required":["type"]}`,
			`{"type":"object","properties":{"type":{"type":"string","description":"Kind"}},"required":["type"],"additionalProperties":false}`, false},

		{"param.string", `param.string("City name")`, `{"type":"string","description":"City name"}`, "", false},
		{"param.string without a description", `param.string()`, `{"type":"string"}`, "", false},
		{"lengths", `param.string("x", { min = 1, max = 100 })`, `{"type":"string","description":"x","minLength":1,"maxLength":100}`, "", false},
		{"a match that all engines read", `param.string("x", { match = "^[a-z]+$" })`, `{"type":"string","description":"x","pattern":"^[a-z]+$"}`, "", false},
		{"a match that only RE2 reads is for the gate alone", `param.string("x", { match = "(?i)^abc$" })`, `{"type":"string","description":"x"}`,
			`{"type":"string","description":"x","pattern":"(?i)^abc$"}`, false},
		{"a format", `param.string("x", { format = "uuid" })`, `{"type":"string","description":"x","format":"uuid"}`, "", false},
		{"our own format", `param.string("x", { format = "path" })`, `{"type":"string","description":"x","format":"path"}`, "", false},
		{"a default makes it optional", `param.string("x", { default = "a" })`, `{"type":"string","description":"x","default":"a"}`, "", true},
		{"optional", `param.string("x", { optional = true })`, `{"type":"string","description":"x"}`, "", true},
		{"examples", `param.string("x", { examples = { "a", "b" } })`, `{"type":"string","description":"x","examples":["a","b"]}`, "", false},
		{"numbers with bounds", `param.number("x", { min = 0, max = 1.5 })`, `{"type":"number","description":"x","minimum":0,"maximum":1.5}`, "", false},
		{"numbers with open bounds and steps", `param.number("x", { above = 0, below = 1, step = 0.25, default = 0.5 })`,
			`{"type":"number","description":"x","exclusiveMinimum":0,"exclusiveMaximum":1,"multipleOf":0.25,"default":0.5}`, "", true},
		{"integers", `param.integer("x", { min = -3, step = 2 })`, `{"type":"integer","description":"x","minimum":-3,"multipleOf":2}`, "", false},
		{"booleans", `param.boolean("x", { default = false })`, `{"type":"boolean","description":"x","default":false}`, "", true},
		{"param.enum", `param.enum("Unit", { "celsius", "fahrenheit" }, { default = "celsius" })`,
			`{"type":"string","enum":["celsius","fahrenheit"],"description":"Unit","default":"celsius"}`, "", true},
		{"param.array", `param.array("x", { of = "string", min = 1, max = 3, unique = true })`,
			`{"type":"array","description":"x","items":{"type":"string"},"uniqueItems":true,"minItems":1,"maxItems":3}`, "", false},
		{"param.array of anything", `param.array("x")`, `{"type":"array","description":"x"}`, "", false},
		{"an array of long forms", `param.array("x", { of = param.integer("y", { min = 1 }) })`,
			`{"type":"array","description":"x","items":{"type":"integer","description":"y","minimum":1}}`, "", false},
		{"an array of objects", `param.array("x", { of = { a = "string" } })`,
			`{"type":"array","description":"x","items":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}}`,
			`{"type":"array","description":"x","items":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}`, false},
		{"an empty list as default", `param.array("x", { of = "string", default = {} })`,
			`{"type":"array","description":"x","items":{"type":"string"},"default":[]}`, "", true},
		{"an empty object as default", `param.object("x", { a = "string?" }, { default = {} })`,
			`{"type":"object","description":"x","properties":{"a":{"type":"string"}},"default":{}}`,
			`{"type":"object","description":"x","properties":{"a":{"type":"string"}},"additionalProperties":false,"default":{}}`, true},
		{"param.object, closed", `param.object("x", { a = "string" })`,
			`{"type":"object","description":"x","properties":{"a":{"type":"string"}},"required":["a"]}`,
			`{"type":"object","description":"x","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`, false},
		{"param.object, open", `param.object("x", { a = "string" }, { open = true })`,
			`{"type":"object","description":"x","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":true}`, "", false},
		{"param.object of any kind", `param.object("x")`, `{"type":"object","description":"x"}`, "", false},
		{"param.map", `param.map("x", { of = "string" })`, `{"type":"object","description":"x","additionalProperties":{"type":"string"}}`, "", false},
		{"param.map of anything", `param.map("x", { max = 3 })`, `{"type":"object","description":"x","additionalProperties":` + anyText + `,"maxProperties":3}`, "", false},
		{"param.any", `param.any("x", { optional = true })`, `{"type":["string","number","boolean","object","array","null"],"description":"x"}`, "", true},
		{"param.json, byte for byte", `param.json [[ {"type" : "string","minLength": 1 } ]]`, `{"type" : "string","minLength": 1 }`, "", false},
		{"param.json on several lines becomes one line", "param.json [[{\n  \"type\": \"string\",\r\n  \"const\": \"a\\nb\" }]]", `{"type":"string","const":"a\nb"}`, "", false},
		{"an optional param.json", `param.json([[{"type":"string"}]], { optional = true })`, `{"type":"string"}`, "", true},
		{"raw JSON Schema", `{ type = "string", minLength = 1, description = "A city" }`, `{"type":"string","minLength":1,"description":"A city"}`, "", false},
		{"raw JSON Schema of a type alone", `{ type = "string" }`, `{"type":"string"}`, "", false},
		{"raw JSON Schema of several types", `{ type = { "string", "null" } }`, `{"type":["string","null"]}`, "", false},
		{"raw JSON Schema keeps empty objects and lists apart", `{ type = "object", properties = { a = {} }, required = {}, additionalProperties = {}, default = json.object{} }`,
			`{"type":"object","properties":{"a":{}},"required":[],"additionalProperties":{},"default":{}}`, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			def := mustLoad(t, `return tool("x", "A tool for tests", { p = `+tt.lua+` }, function() end)`)
			required := `["p"]`
			if tt.optional {
				required = `[]`
			}
			if tt.gate == "" {
				tt.gate = tt.shown
			}
			if want := `{"type":"object","properties":{"p":` + tt.shown + `},"required":` + required + `}`; string(def.Input) != want {
				t.Errorf("shown\n got %s\nwant %s", def.Input, want)
			}
			if want := `{"type":"object","properties":{"p":` + tt.gate + `},"required":` + required + `,"additionalProperties":false}`; string(def.InputGate) != want {
				t.Errorf("gate\n got %s\nwant %s", def.InputGate, want)
			}
			for _, text := range []json.RawMessage{def.Input, def.InputGate} {
				if _, err := schema.Compile(text); err != nil {
					t.Errorf("%s does not compile: %v", text, err)
				}
			}
		})
	}
}

func TestParameterFaults(t *testing.T) {
	for _, tt := range []struct{ name, lua, want string }{
		{"an unknown type", `"strng"`, `tool "x": input: property 'p': unknown type "strng" (did you mean 'string'?)`},
		{"another word for integer", `"int"`, `unknown type "int" (write "integer"): the types are string, number, integer,`},
		{"another word for boolean", `"bool?"`, `unknown type "bool?" (write "boolean"): the types are string, number, integer, boolean, object, any,`},
		{"another word for string", `"str"`, `unknown type "str" (write "string")`},
		{"another word for number", `"float"`, `unknown type "float" (write "number")`},
		{"a list", `"list"`, `unknown type "list" (write "string[]" or another type with [])`},
		{"an array", `"array?"`, `unknown type "array?" (write "string[]" or another type with [])`},
		{"a table", `"table"`, `unknown type "table" (write "object", or "string[]" for a list)`},
		{"a dict", `"dict"`, `unknown type "dict" (write "object", or param.map("…", { of = "string" }))`},
		{"a type that nothing is near to", `"frobnitz"`, `unknown type "frobnitz": the types are string,`},
		{"the library", `param`, `got the library param; call one of its functions, such as param.string("…")`},
		{"a question mark in the middle", `"string?[]"`, `property 'p': "string?[]": the question mark stands once, at the end`},
		{"a number", `3`, `property 'p': want a type such as "string" or param.string("…"), got 3`},
		{"a builder that was not called", `param.string`, `got a function: param.string must be called`},
		{"another value", `text("a")`, `got a text block`},
		{"an empty table", `{}`, `property 'p': an empty table says nothing`},
		{"an enum with a name", `{ "a", b = 1 }`, `property 'p': the list of values has also the key 'b'`},
		{"an enum with a table", `{ "a", {} }`, `value 2 of the enum: want a string, number or boolean, got a table`},
		{"an enum with a value twice", `{ "a", "a" }`, `value 2 of the enum stands twice: "a"`},
		{"a fault inside names the inner one first", `{ a = { b = "nmber" } }`, `property 'b' of p.a: unknown type "nmber" (did you mean 'number'?)`},
		{"a name that the API refuses", `{ ["a b"] = "string" }`, `property 'a b': a name has 1 to 64 of the letters`},
		{"type and a name that is no keyword", `{ type = "string", city = "string" }`,
			`a table with type = "string" is read as JSON Schema, but 'city' does not belong there: for an object with a field called type, write type = param.string("…")`},
		{"type and a keyword that looks like a field", `{ type = "string", title = "string" }`, `but 'title' does not belong there`},
		{"type and a keyword of another kind", `{ type = "string", minLength = "integer" }`, `but 'minLength' does not belong there`},
		{"the short form inside raw JSON Schema", `{ type = "object", properties = { a = "string" } }`, `property 'a' of p: in JSON Schema want a table such as { type = "string" }, got "string"`},
		{"a table inside itself", `(function() local t = {} t.t = t return t end)()`, `nested deeper than 20 levels`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, `return tool("x", "A tool for tests", { p = `+tt.lua+` }, function() end)`)
			wantFault(t, err, tt.want)
		})
	}
}

func TestBuilderFaults(t *testing.T) {
	for _, tt := range []struct{ name, lua, want string }{
		{"an unknown option", `param.string("x", { mn = 1 })`, `param.string: unknown option 'mn' (did you mean 'min'?)`},
		{"JSON Schema's word for match", `param.string("x", { pattern = "^a$" })`,
			`param.string: unknown option 'pattern' (did you mean 'match'?): there are min, max, match, format, default, optional, examples`},
		{"JSON Schema's word for of", `param.array("x", { items = "string" })`, `param.array: unknown option 'items' (did you mean 'of'?): there are of, min, max, unique,`},
		{"JSON Schema's word for a lower bound", `param.number("x", { minimum = 1 })`, `unknown option 'minimum' (did you mean 'min'?)`},
		{"JSON Schema's word for an upper bound", `param.number("x", { maximum = 1 })`, `unknown option 'maximum' (did you mean 'max'?)`},
		{"JSON Schema's words for lengths", `param.string("x", { minLength = 1 })`, `unknown option 'minLength' (did you mean 'min'?)`},
		{"and the other one", `param.string("x", { maxLength = 1 })`, `unknown option 'maxLength' (did you mean 'max'?)`},
		{"required, which all are", `param.string("x", { required = true })`, `unknown option 'required' (did you mean 'optional'?)`},
		{"another word for array", `param.list("x")`, `param has no field 'list'; write param.array; it has any, array, boolean,`},
		{"another word for integer", `param.int("x")`, `param has no field 'int'; `},
		{"an option of another kind", `param.boolean("x", { min = 1 })`, `param.boolean: unknown option 'min'`},
		{"options first", `param.string{ min = 1 }`, `param.string: want a description first, got a table`},
		{"options that are no table", `param.string("x", 3)`, `param.string: options: want a table of options, got a number`},
		{"a length that is no whole number", `param.string("x", { min = 1.5 })`, `param.string: min: want a whole number, got 1.5`},
		{"a negative length", `param.string("x", { min = -1 })`, `param.string: min: want a whole number from 0 on, got -1`},
		{"a length as a string", `param.string("x", { max = "3" })`, `param.string: max: want a whole number, got "3"`},
		{"crossed lengths", `param.string("x", { min = 3, max = 2 })`, `param.string: min 3 is above max 2`},
		{"crossed bounds", `param.number("x", { above = 3, max = 2 })`, `param.number: no number is from 3 on and up to 2`},
		{"a step of nothing", `param.number("x", { step = 0 })`, `param.number: step: want a number above 0, got 0`},
		{"an infinite bound", `param.number("x", { min = 1/0 })`, `param.number: min: want a number`},
		{"an unknown format", `param.string("x", { format = "uid" })`, `param.string: format: unknown format "uid" (did you mean 'uuid'?)`},
		{"a bad expression", `param.string("x", { match = "(" })`, "param.string: match: error parsing regexp: missing closing )"},
		{"a default that does not fit", `param.integer("x", { max = 3, default = 5 })`, `param.integer: default: 5 is above the maximum 3`},
		{"a default of another type", `param.string("x", { default = {} })`, `param.string: default: `},
		{"a default outside the enum", `param.enum("x", { "a" }, { default = "b" })`, `param.enum: default: `},
		{"a default that does not match", `param.string("x", { match = "(?i)^a$", default = "b" })`, `param.string: default: `},
		{"a default that is no JSON", `param.any("x", { default = print })`, `param.any: default: a function cannot be sent`},
		{"a default with a field too many", `param.object("x", { a = "string?" }, { default = { b = 1 } })`, `param.object: default: `},
		{"an example that does not fit", `param.integer("x", { examples = { 1, "b" } })`, `param.integer: examples[2]: `},
		{"examples that are no list", `param.integer("x", { examples = 1 })`, `param.integer: examples: want a list of values, got 1`},
		{"optional as a string", `param.string("x", { optional = "yes" })`, `param.string: optional: want true or false, got "yes"`},
		{"an enum without values", `param.enum("x")`, `param.enum: want a list of values, got nil`},
		{"an optional element", `param.array("x", { of = "string?" })`, `param.array: of: an element cannot be optional`},
		{"an unknown element", `param.array("x", { of = "strin" })`, `param.array: of: unknown type "strin" (did you mean 'string'?)`},
		{"fields that are no table", `param.object("x", "string")`, `param.object: fields: want a table of fields, got "string"`},
		{"a bad field", `param.object("x", { a = "strin" })`, `param.object: property 'a': unknown type "strin"`},
		{"raw JSON that is none", `param.json [[{"type":}]]`, `param.json: at byte 8: want a value`},
		{"raw JSON that is no object", `param.json "[]"`, `param.json: want a JSON object, got "[]"`},
		{"raw JSON as a table", `param.json{}`, `param.json: want JSON Schema as a string, got a table`},
		{"an unknown builder", `param.strng("x")`, `strng`},
		{"a look into a parameter", `local p = param.string("x") return p.min`, `a param has no field 'min'`},
		{"a change of a parameter", `local p = param.string("x") p.min = 1`, `a param cannot be changed`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, `local p = (function() `+statement(tt.lua)+` end)() return tool("x", "A tool", { p = p }, function() end)`)
			wantFault(t, err, tt.want)
		})
	}
}

// statement makes a chunk of an expression.
func statement(lua string) string {
	if len(lua) > 5 && lua[:5] == "local" {
		return lua
	}
	return "return " + lua
}

func TestIsECMA(t *testing.T) {
	for re, want := range map[string]bool{
		`^[a-z]+$`: true, `\d{3}-\d{2,}`: true, `^(?:a|b)*?$`: true, `[\w.-]+@[\w-]+\.\w{2,6}`: true, `\bfoo\b`: true, `[^\]\-]`: true, `a{2}`: true,
		`\x41\/\.`: true, `(a)(b)`: true, `.*`: true, ``: true,
		`(?i)a`: false, `(?P<n>a)`: false, `\Aa\z`: false, `\pL`: false, `[[:alpha:]]`: false, `[]a]`: false, `[^]a]`: false, `\Q.\E`: false, `a{`: false,
		`a}`: false, `]`: false, `\x{41}`: false, `\a`: false, `^*`: false, `\b+`: false, `$?`: false, `\-`: false, `\_`: false, `a{,3}`: false, `\C`: false, `^{2}`: false,
	} {
		if got := isECMA(re); got != want {
			t.Errorf("isECMA(%s) = %v", re, got)
		}
	}
}
