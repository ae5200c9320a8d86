package schema

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// message words one fault of v for the model: what came, and what would be right.
func message(k jsonschema.ErrorKind, v any) string {
	switch k := k.(type) {
	case *kind.Type:
		return wantText(k.Want, v)
	case *kind.Enum:
		return "invalid value " + short(v) + ", must be one of: " + values(k.Want)
	case *kind.Const:
		return "invalid value " + short(v) + ", must be " + values([]any{k.Want})
	case *kind.Format:
		return formatText(k, v)
	case *kind.Pattern:
		return short(v) + " does not match the pattern " + cut(k.Want, 200)
	case *kind.MinLength:
		return fmt.Sprintf("%s is too short: %s, at least %d wanted", short(v), count(k.Got, "character"), k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("%s is too long: %s, at most %d allowed", short(v), count(k.Got, "character"), k.Want)
	case *kind.Minimum:
		return short(v) + " is below the minimum " + decimal(k.Want)
	case *kind.Maximum:
		return short(v) + " is above the maximum " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return short(v) + " is not above " + decimal(k.Want)
	case *kind.ExclusiveMaximum:
		return short(v) + " is not below " + decimal(k.Want)
	case *kind.MultipleOf:
		return short(v) + " is not a multiple of " + decimal(k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("has %s, at least %d wanted", count(k.Got, "item"), k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("has %s, at most %d allowed", count(k.Got, "item"), k.Want)
	case *kind.UniqueItems:
		return fmt.Sprintf("the items %d and %d are equal, all must differ", k.Duplicates[0], k.Duplicates[1])
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %s too many", count(k.Count, "item"))
	case *kind.Contains:
		return "no item is of the form that one must have"
	case *kind.MinContains:
		return fmt.Sprintf("%s of the form that at least %d must have", count(len(k.Got), "item"), k.Want)
	case *kind.MaxContains:
		return fmt.Sprintf("%s of the form that at most %d may have", count(len(k.Got), "item"), k.Want)
	}
	return objectMessage(k)
}

func objectMessage(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Required:
		return "lacks " + listed(k.Missing)
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		return "unknown member " + listed(k.Properties)
	case *kind.MinProperties:
		return fmt.Sprintf("has %s, at least %d wanted", count(k.Got, "member"), k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("has %s, at most %d allowed", count(k.Got, "member"), k.Want)
	case *kind.Dependency:
		return fmt.Sprintf("with %s it also needs %s", quote(k.Prop), listed(k.Missing))
	case *kind.DependentRequired:
		return fmt.Sprintf("with %s it also needs %s", quote(k.Prop), listed(k.Missing))
	case *kind.FalseSchema:
		return "is not allowed"
	case *kind.Not:
		return "is of a form that is not allowed"
	}
	if path := k.KeywordPath(); len(path) > 0 {
		return "does not satisfy " + path[0]
	}
	return "is refused"
}

// plainly words a fault of a schema, where the value is not at hand.
func plainly(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "want " + alternatives(k.Want) + ", got " + k.Got
	case *kind.Enum:
		return message(k, k.Got)
	case *kind.Pattern:
		return message(k, k.Got)
	case *kind.Format:
		if k.Want == "regex" && k.Err != nil {
			return "pattern " + short(k.Got) + " is not RE2: " + k.Err.Error()
		}
		return formatText(k, k.Got)
	case *kind.Minimum:
		return decimal(k.Got) + " is below the minimum " + decimal(k.Want)
	case *kind.ExclusiveMinimum:
		return decimal(k.Got) + " is not above " + decimal(k.Want)
	}
	return message(k, nil)
}

// formatExamples say what a format looks like.
var formatExamples = map[string]string{
	"uuid":      "123e4567-e89b-12d3-a456-426614174000",
	"uri":       "https://example.com/path",
	"email":     "ada@example.com",
	"date":      "2026-01-31",
	"date-time": "2026-01-31T12:00:00Z",
	"time":      "12:00:00Z",
	"duration":  "P1DT12H",
	"path":      "notes/today.txt",
	"hostname":  "example.com",
	"ipv4":      "192.0.2.1",
	"ipv6":      "2001:db8::1",
}

func formatText(k *kind.Format, v any) string {
	text := short(v) + " is no valid " + k.Want
	if example := formatExamples[k.Want]; example != "" {
		return text + ", such as " + example
	}
	if k.Err != nil {
		text += ": " + cut(k.Err.Error(), 200)
	}
	return text
}

func wantText(want []string, v any) string {
	return "want " + alternatives(want) + ", got " + describe(v)
}

// alternatives writes types as a sentence has them: "a string or an integer".
func alternatives(types []string) string {
	var words []string
	for _, name := range typeNames {
		if !slices.Contains(types, name) || name == "integer" && slices.Contains(types, "number") {
			continue
		}
		switch name {
		case "array":
			name = "a list"
		case "null":
		case "integer", "object":
			name = "an " + name
		default:
			name = "a " + name
		}
		words = append(words, name)
	}
	return strings.Join(words, " or ")
}

// short shows a value as JSON has it, long ones cut.
func short(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(v)
	case json.Number:
		return cut(v.String(), 40)
	case string:
		return quote(v)
	}
	return describe(v)
}

const maxListed = 30

// values lists the legal values. Words stand without quotes.
func values(want []any) string {
	var words []string
	plain := true
	for _, v := range want {
		s, ok := v.(string)
		plain = plain && ok && plainWord(s)
	}
	for _, v := range want[:min(len(want), maxListed)] {
		switch s, ok := v.(string); {
		case ok && plain:
			words = append(words, s)
		default:
			words = append(words, short(v))
		}
	}
	return ended(words, len(want))
}

// listed lists names.
func listed(names []string) string {
	var words []string
	for _, name := range names[:min(len(names), maxListed)] {
		if !plainWord(name) {
			name = quote(name)
		}
		words = append(words, name)
	}
	return ended(words, len(names))
}

func ended(words []string, all int) string {
	text := strings.Join(words, ", ")
	if all > len(words) {
		text += fmt.Sprintf(" … and %d more", all-len(words))
	}
	return text
}

// decimal writes a bound of a schema with all its digits.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return cut(r.Num().String(), 40)
	}
	digits, _ := r.FloatPrec()
	return cut(r.FloatString(digits), 40)
}
