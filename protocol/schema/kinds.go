package schema

import (
	"bytes"
	"encoding/json"
	"strings"
)

// kinds is a set of JSON types. A number that is no integer is fraction; "number" is both.
type kinds uint8

const (
	isNull kinds = 1 << iota
	isBoolean
	isInteger
	isFraction
	isString
	isArray
	isObject

	isNumber = isInteger | isFraction
	anyKind  = isNull | isBoolean | isNumber | isString | isArray | isObject
)

// typeNames are the words of the keyword "type", in the order in which we write them.
var typeNames = []string{"string", "number", "integer", "boolean", "object", "array", "null"}

var typeKinds = map[string]kinds{
	"null": isNull, "boolean": isBoolean, "integer": isInteger, "number": isNumber,
	"string": isString, "array": isArray, "object": isObject,
}

// names are the words for k that the keyword "type" takes.
func (k kinds) names() []string {
	var names []string
	for _, name := range typeNames {
		switch want := typeKinds[name]; {
		case name == "integer" && k&isNumber == isNumber: // "number" has said it
		case k&want == want:
			names = append(names, name)
		}
	}
	return names
}

func (k kinds) String() string { return strings.Join(k.names(), "|") }

// kindOf is the kind of a JSON text. A number with point or exponent may still be whole, so it counts as either.
func kindOf(raw []byte) kinds {
	if len(raw) == 0 {
		return 0
	}
	switch raw[0] {
	case 'n':
		return isNull
	case 't', 'f':
		return isBoolean
	case '"':
		return isString
	case '[':
		return isArray
	case '{':
		return isObject
	}
	if bytes.ContainsAny(raw, ".eE") {
		return isNumber
	}
	return isInteger
}

// describe names a value for the model, long ones cut: `the string "abc"`, "the number 5", "a list of 3 items".
func describe(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		if v {
			return "the boolean true"
		}
		return "the boolean false"
	case json.Number:
		return "the number " + cut(v.String(), 40)
	case string:
		return "the string " + quote(v)
	case []any:
		return "a list of " + count(len(v), "item")
	case map[string]any:
		return "an object of " + count(len(v), "member")
	}
	return "something that is not JSON"
}
