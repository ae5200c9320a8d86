package schema

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func violations(t *testing.T, s *Schema, args string) *ViolationsError {
	t.Helper()
	_, err := s.Normalize(json.RawMessage(args))
	v, ok := errors.AsType[*ViolationsError](err)
	if !ok {
		t.Fatalf("Normalize(%s) = %v, want violations", cut(args, 200), err)
	}
	return v
}

func TestEveryViolationAtOnceInTheOrderOfTheSchema(t *testing.T) {
	s := compileClosed(t, `{"type":"object","properties":{
		"userId":{"type":"string","format":"uuid"},
		"action":{"type":"string","enum":["bug","feature","task"]},
		"data":{"type":"object","properties":{"name":{"type":"string","maxLength":5},"age":{"type":"integer","minimum":0,"maximum":150}},"required":["name","age"]},
		"items":{"type":"array","items":{"type":"number"}},
		"units":{"type":"string"},
		"location":{"type":"string"}
	},"required":["userId","location"]}`)
	err := violations(t, s, `{"unit":"x","items":[1,2,"abc"],"data":{"age":200,"name":"Methuselah"},"action":"enhancement","userId":"12"}`)
	want := `invalid arguments:
- userId: "12" is no valid uuid, such as 123e4567-e89b-12d3-a456-426614174000
- action: invalid value "enhancement", must be one of: bug, feature, task
- data.name: "Methuselah" is too long: 10 characters, at most 5 allowed
- data.age: 200 is above the maximum 150
- items[2]: want a number, got the string "abc"
- location: is required
- unit: unknown parameter; did you mean "units"?
expected: userId: string, action?: "bug"|"feature"|"task", data?: {name: string, age: integer}, items?: number[], units?: string, location: string`
	if err.Error() != want {
		t.Errorf("got\n%s\nwant\n%s", err, want)
	}
	if len(err.Violations) != 7 || err.Violations[4].Path != "items[2]" {
		t.Errorf("violations %+v", err.Violations)
	}
}

func TestViolationMessages(t *testing.T) {
	for _, tt := range []struct{ name, property, value, want string }{
		{"a wrong type", `{"type":"number"}`, `"abc"`, `a: want a number, got the string "abc"`},
		{"a wrong type among several", `{"type":["integer","null","array"]}`, `true`, `a: want an integer or a list or null, got the boolean true`},
		{"an object for a string", `{"type":"string"}`, `{"x":1}`, `a: want a string, got an object of 1 member`},
		{"a list for a string", `{"type":"string"}`, `[1,2]`, `a: want a string, got a list of 2 items`},
		{"a fraction for an integer", `{"type":"integer"}`, `1.5`, `a: want an integer, got the number 1.5`},
		{"a long value is cut in its middle", `{"type":"number"}`, `"` + strings.Repeat("x", 200) + `end"`, `xxx…xxx`},
		{"below the minimum", `{"minimum":-2.5}`, `-3`, `a: -3 is below the minimum -2.5`},
		{"not above", `{"exclusiveMinimum":0}`, `0`, `a: 0 is not above 0`},
		{"not below", `{"exclusiveMaximum":10}`, `10`, `a: 10 is not below 10`},
		{"no multiple", `{"multipleOf":0.01}`, `0.005`, `a: 0.005 is not a multiple of 0.01`},
		{"too short", `{"minLength":2}`, `"ü"`, `a: "ü" is too short: 1 character, at least 2 wanted`},
		{"a pattern", `{"pattern":"^[a-z]+$"}`, `"A1"`, `a: "A1" does not match the pattern ^[a-z]+$`},
		{"few items", `{"minItems":2}`, `[1]`, `a: has 1 item, at least 2 wanted`},
		{"many items", `{"maxItems":1}`, `[1,2]`, `a: has 2 items, at most 1 allowed`},
		{"equal items", `{"uniqueItems":true}`, `[1,2,1.0]`, `a: the items 0 and 2 are equal, all must differ`},
		{"a constant", `{"const":"x"}`, `"y"`, `a: invalid value "y", must be x`},
		{"an enum with spaces and numbers", `{"enum":["a b",1,null]}`, `2`, `a: invalid value 2, must be one of: "a b", 1, null`},
		{"an email", `{"format":"email"}`, `"ada"`, `a: "ada" is no valid email, such as ada@example.com`},
		{"a date", `{"format":"date"}`, `"1.2.2026"`, `is no valid date, such as 2026-01-31`},
		{"a date-time", `{"format":"date-time"}`, `"2026-01-31"`, `is no valid date-time`},
		{"a uri", `{"format":"uri"}`, `"example"`, `is no valid uri, such as https://example.com/path`},
		{"a path", `{"format":"path"}`, `"a\u0000b"`, `is no valid path`},
		{"one of two types by anyOf", `{"anyOf":[{"type":"string"},{"type":"null"}]}`, `1`, `a: want a string or null, got the number 1`},
		{"the faults of the only form of its type", `{"anyOf":[{"type":"object","required":["b"]},{"type":"null"}]}`, `{}`, `a.b: is required`},
		{"several forms that could be meant", `{"oneOf":[{"required":["b"]},{"required":["c"]}]}`, `{}`, `a: fits none of the allowed forms: a.b: is required; or a.c: is required`},
		{"several forms at once", `{"oneOf":[{"type":"integer"},{"type":"number"}]}`, `1`, `a: fits more than one of the allowed forms`},
		{"a form that is not allowed", `{"not":{"type":"string"}}`, `"x"`, `a: is of a form that is not allowed`},
		{"never", `false`, `1`, `a: is not allowed`},
		{"a name that is not allowed", `{"propertyNames":{"maxLength":2}}`, `{"abc":1}`, `a: the name "abc" is not allowed: "abc" is too long`},
		{"what another member needs", `{"dependentRequired":{"b":["c"]}}`, `{"b":1}`, `a: with "b" it also needs c`},
		{"few members", `{"minProperties":1}`, `{}`, `a: has 0 members, at least 1 wanted`},
		{"a name that is no identifier", `{"additionalProperties":{"type":"string"}}`, `{"b c":1}`, `a["b c"]: want a string`},
		{"null for a required one", `{"type":"string"}`, `null`, `a: want a string, got null`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := compile(t, `{"type":"object","properties":{"a":`+tt.property+`},"required":["a"]}`)
			if err := violations(t, s, `{"a":`+tt.value+`}`); !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %s\nwant %s", err, tt.want)
			}
		})
	}
}

func TestWhatRepairAndDefaultsMendIsNotComplainedOf(t *testing.T) {
	s := compile(t, `{"type":"object","properties":{"a":{"type":"integer","default":1},"b":{"type":"integer"},"c":{"type":"integer"}},"required":["a","b","c"]}`)
	err := violations(t, s, `{"b":"2","c":"x"}`)
	if len(err.Violations) != 1 || err.Violations[0].String() != `c: want an integer, got the string "x"` {
		t.Errorf("violations %q", err.Violations)
	}
}

func TestUnknownParameterNamesWhatThereIs(t *testing.T) {
	s := compileClosed(t, `{"type":"object","properties":{"a":{},"b":{"type":"object","properties":{}}}}`)
	for _, tt := range []struct{ args, want string }{
		{`{"zzz":1}`, "zzz: unknown parameter; there are: a, b"},
		{`{"b":{"zzz":1}}`, "b.zzz: unknown parameter; none are taken here"},
	} {
		if err := violations(t, s, tt.args); err.Violations[0].String() != tt.want {
			t.Errorf("got %s, want %s", err.Violations[0], tt.want)
		}
	}
}

func TestTheTextForTheModelIsBounded(t *testing.T) {
	s := compileClosed(t, `{"type":"object","properties":{"l":{"type":"array","items":{"type":"integer"}},"e":{"enum":["`+
		strings.Repeat(`x","x`, 500)+`end"]}}}`)
	args := `{"e":"` + strings.Repeat("ü", 5000) + `","l":[` + strings.Repeat(`"`+strings.Repeat("é", 500)+`",`, 5000) + `"x"]`
	for i := range 200 {
		args += `,"` + strings.Repeat("n", 300) + itoa(i) + `":1`
	}
	err := violations(t, s, args+"}")
	text := err.Error()
	if len(text) >= 10_000 {
		t.Errorf("%d bytes", len(text))
	}
	if !strings.Contains(text, "\n… and ") || !strings.Contains(text, "\nexpected: l?: integer[]") {
		t.Errorf("text ends %s", text[len(text)-300:])
	}
	if len(err.Violations) > maxViolations || len(err.Violations)+err.More != 5202 {
		t.Errorf("%d listed and %d more", len(err.Violations), err.More)
	}
}

func TestViolationsDoNotDependOnChance(t *testing.T) {
	s := compileClosed(t, `{"type":"object","properties":{"a":{"type":"integer"},"b":{"anyOf":[{"required":["x","y"]},{"required":["z","w"]}]},"c":{}},"required":["c"]}`)
	first := violations(t, s, `{"a":"x","b":{},"q":1,"p":2,"r":3}`).Error()
	for range 50 {
		if again := violations(t, s, `{"a":"x","b":{},"q":1,"p":2,"r":3}`).Error(); again != first {
			t.Fatalf("once\n%s\nthen\n%s", first, again)
		}
	}
}
