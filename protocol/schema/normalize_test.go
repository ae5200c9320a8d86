package schema

import (
	"encoding/json"
	"testing"
)

const weather = `{"type":"object","properties":{
	"location":{"type":"string","minLength":1},
	"units":{"type":"string","enum":["celsius","fahrenheit"],"default":"celsius"},
	"days":{"type":"integer","minimum":1},
	"tags":{"type":"array","items":{"type":"string"}},
	"precise":{"type":"boolean"},
	"place":{"type":"object","properties":{"lat":{"type":"number"},"lon":{"type":"number","default":0}},"required":["lat"]},
	"stops":{"type":"array","items":{"type":"object","properties":{"at":{"type":"string"},"wait":{"type":"integer","default":5}},"required":["at"]}},
	"note":{"type":["string","null"]},
	"maybe":{"type":["integer","null"]}
},"required":["location"]}`

func TestNormalize(t *testing.T) {
	s := compileClosed(t, weather)
	for _, tt := range []struct{ name, args, want string }{
		{"what fits and lacks nothing keeps its bytes", ` {"units" : "celsius", "location":"Bern"} `, ` {"units" : "celsius", "location":"Bern"} `},
		{"a default comes after what was given", `{"location":"Bern"}`, `{"location":"Bern","units":"celsius"}`},
		{"nested defaults, inside lists too", `{"location":"B","units":"celsius","place":{"lat":1.50},"stops":[{"at":"x"},{"wait":1,"at":"y"}]}`,
			`{"location":"B","units":"celsius","place":{"lat":1.50,"lon":0},"stops":[{"at":"x","wait":5},{"wait":1,"at":"y"}]}`},
		{"an integer that came as a string", `{"location":"B","units":"celsius","days":"3"}`, `{"location":"B","units":"celsius","days":3}`},
		{"space around it", `{"location":"B","units":"celsius","days":" 3 "}`, `{"location":"B","units":"celsius","days":3}`},
		{"a boolean that came as a string", `{"location":"B","units":"celsius","precise":"true"}`, `{"location":"B","units":"celsius","precise":true}`},
		{"Python's True", `{"location":"B","units":"celsius","precise":"True"}`, `{"location":"B","units":"celsius","precise":true}`},
		{"Python's False", `{"location":"B","units":"celsius","precise":"False"}`, `{"location":"B","units":"celsius","precise":false}`},
		{"a list that came as a string", `{"location":"B","units":"celsius","tags":"[\"a\",\"1\"]"}`, `{"location":"B","units":"celsius","tags":["a","1"]}`},
		{"an object in a string, with a number in a string, with its default", `{"location":"B","units":"celsius","place":"{\"lat\":\"1\"}"}`, `{"location":"B","units":"celsius","place":{"lat":1,"lon":0}}`},
		{"a string stays a string where it may", `{"location":"3","units":"celsius"}`, `{"location":"3","units":"celsius"}`},
		{"null for an optional one is absent", `{"location":"B","units":null,"days":null}`, `{"location":"B","units":"celsius"}`},
		{"null stays where null may be", `{"location":"B","units":"celsius","note":null,"maybe":null}`, `{"location":"B","units":"celsius","note":null,"maybe":null}`},
		{"the word null for an optional number is absent", `{"location":"B","units":"celsius","days":"null"}`, `{"location":"B","units":"celsius"}`},
		{"an empty string for an optional number is absent", `{"location":"B","units":"celsius","days":""}`, `{"location":"B","units":"celsius"}`},
		{"the word null where null may be", `{"location":"B","units":"celsius","maybe":"null"}`, `{"location":"B","units":"celsius","maybe":null}`},
		{"all arguments in one string", `"{\"location\":\"B\",\"units\":\"celsius\"}"`, `{"location":"B","units":"celsius"}`},
		{"numbers keep their digits through a repair", `{"location":"B","units":"celsius","place":{"lat":12345678901234567890.10,"lon":"1e2"}}`,
			`{"location":"B","units":"celsius","place":{"lat":12345678901234567890.10,"lon":1e2}}`},
		{"a whole number with a point is an integer", `{"location":"B","units":"celsius","days":3.0}`, `{"location":"B","units":"celsius","days":3.0}`},
		{"names with escapes are the same names", `{"\u006cocation":"B"}`, `{"\u006cocation":"B","units":"celsius"}`},
		{"text beyond ASCII stays", `{"location":"Zürich 🌍","days":"2"}`, `{"location":"Zürich 🌍","days":2,"units":"celsius"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := s.Normalize(json.RawMessage(tt.args))
			if err != nil {
				t.Fatalf("Normalize(%s): %v", tt.args, err)
			}
			if string(got) != tt.want {
				t.Errorf("Normalize(%s)\n got %s\nwant %s", tt.args, got, tt.want)
			}
			again, err := s.Normalize(got)
			if err != nil || string(again) != string(got) {
				t.Errorf("a second time: %s, %v", again, err)
			}
		})
	}
}

func TestNormalizeTakesNothingForAnEmptyObject(t *testing.T) {
	s := compileClosed(t, `{"type":"object","properties":{}}`)
	for _, args := range []string{"", "null", " null ", "{}"} {
		if got, err := s.Normalize(json.RawMessage(args)); err != nil || string(got) != "{}" {
			t.Errorf("Normalize(%q) = %s, %v", args, got, err)
		}
	}
}

func TestNormalizeOddSchemas(t *testing.T) {
	for _, tt := range []struct{ name, schema, args, want string }{
		{"a required parameter with a default is filled in", `{"type":"object","properties":{"a":{"type":"integer","default":1}},"required":["a"]}`, `{}`, `{"a":1}`},
		{"a default behind a reference", `{"type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"type":"object","properties":{"b":{"type":"integer","default":2}}}}}`,
			`{"a":{}}`, `{"a":{"b":2}}`},
		{"a default in the only form that is an object", `{"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{"b":{"default":2}}},{"type":"null"}]}}}`,
			`{"a":{}}`, `{"a":{"b":2}}`},
		{"a default is filled in itself", `{"type":"object","properties":{"a":{"type":"object","default":{},"properties":{"b":{"default":2}}}}}`, `{}`, `{"a":{"b":2}}`},
		{"a default that would hold itself is left out", `{"type":"object","properties":{"a":{"$ref":"#","default":{}}}}`, `{}`, `{}`},
		{"a default that breaks maxProperties is left out", `{"type":"object","maxProperties":1,"properties":{"a":{},"b":{"default":2}}}`, `{"a":1}`, `{"a":1}`},
		{"a default that makes items equal is left out", `{"type":"object","properties":{"l":{"type":"array","uniqueItems":true,"items":{"type":"object","properties":{"a":{"default":1}}}}}}`,
			`{"l":[{"a":1},{}]}`, `{"l":[{"a":1},{}]}`},
		{"values of a map are filled in", `{"type":"object","additionalProperties":{"type":"object","properties":{"a":{"default":1}}}}`, `{"x":{}}`, `{"x":{"a":1}}`},
		{"more than 64 properties", manyProperties(70), `{"p3":1}`, manyDefaults(70)},
		{"a string for a number or a boolean", `{"type":"object","properties":{"a":{"type":["number","boolean"]}}}`, `{"a":"true"}`, `{"a":true}`},
		{"an enum of numbers", `{"type":"object","properties":{"a":{"enum":[1,2]}}}`, `{"a":"2"}`, `{"a":2}`},
		{"map values are never dropped", `{"type":"object","additionalProperties":{"type":["number","null"]}}`, `{"a":null,"b":"1"}`, `{"a":null,"b":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := compile(t, tt.schema)
			got, err := s.Normalize(json.RawMessage(tt.args))
			if err != nil || string(got) != tt.want {
				t.Errorf("Normalize(%s) = %s, %v\nwant %s", tt.args, got, err, tt.want)
			}
		})
	}
}

func manyProperties(n int) string {
	b := []byte(`{"type":"object","properties":{`)
	for i := range n {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `"p`+itoa(i)+`":{"type":"integer","default":`+itoa(i)+`}`...)
	}
	return string(b) + "}}"
}

func manyDefaults(n int) string {
	b := []byte(`{"p3":1`)
	for i := range n {
		if i != 3 {
			b = append(b, `,"p`+itoa(i)+`":`+itoa(i)...)
		}
	}
	return string(b) + "}"
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

func TestClosed(t *testing.T) {
	for _, tt := range []struct {
		name, schema, args string
		closed             bool // refused when closed
	}{
		{"an object that lists its properties", `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"b":1}`, true},
		{"one without parameters", `{"type":"object","properties":{}}`, `{"b":1}`, true},
		{"a nested one", `{"type":"object","properties":{"a":{"type":"object","properties":{"x":{"type":"string"}}}}}`, `{"a":{"y":1}}`, true},
		{"one inside a list", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"object","properties":{}}}}}`, `{"a":[{"y":1}]}`, true},
		{"one that says additionalProperties", `{"type":"object","properties":{},"additionalProperties":true}`, `{"b":1}`, false},
		{"one without properties", `{"type":"object","properties":{"a":{"type":"object"}}}`, `{"a":{"b":1}}`, false},
		{"one with a combinator", `{"type":"object","properties":{},"anyOf":[{"properties":{"b":{}}}]}`, `{"b":1}`, false},
		{"one inside a combinator", `{"type":"object","properties":{"a":{"allOf":[{"properties":{"b":{}}},{"properties":{"c":{}}}]}}}`, `{"a":{"b":1,"c":2}}`, false},
		{"a default that looks like a schema", `{"type":"object","properties":{"a":{"type":"object","default":{"properties":{}}}}}`, `{"a":{"properties":{},"x":1}}`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := compile(t, tt.schema).Normalize([]byte(tt.args)); err != nil {
				t.Errorf("open: %v", err)
			}
			if _, err := compileClosed(t, tt.schema).Normalize([]byte(tt.args)); (err != nil) != tt.closed {
				t.Errorf("closed: %v, want refused: %v", err, tt.closed)
			}
		})
	}
}

func TestValidateRepairsNothing(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"temperature":{"type":"number"},"unit":{"default":"C"}},"required":["temperature"]}`)
	if err := s.Validate([]byte(`{"temperature":21.5}`)); err != nil {
		t.Error(err)
	}
	err := s.Validate([]byte(`{"temperature":"21.5"}`))
	if err == nil || err.Error() != "invalid value:\n- temperature: want a number, got the string \"21.5\"\nexpected: temperature: number, unit?: any = \"C\"" {
		t.Errorf("error %v", err)
	}
	if err := s.Validate([]byte(`{"temperature":}`)); err == nil {
		t.Error("no JSON was accepted")
	}
}
