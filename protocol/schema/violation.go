package schema

import (
	"fmt"
	"strings"
)

// Limits of a message for the model, in bytes. The CLI cuts an error at about 10,000 characters, and the signature must stay.
const (
	maxErrorText     = 9_000
	maxViolationText = 600
	maxPathText      = 200
	maxViolations    = 1_000 // kept; the rest is counted
)

// Violation is one thing wrong with a value.
type Violation struct {
	Path    string // "data.age", "items[2]"; empty for the whole
	Message string // "200 is above the maximum 150"
}

func (v Violation) String() string {
	if v.Path == "" {
		return v.Message
	}
	return v.Path + ": " + v.Message
}

// ViolationsError lists all violations in the order of the schema. Its text is for the model: one line for each, below
// 10,000 characters together, and the signature in the last.
type ViolationsError struct {
	Violations []Violation
	More       int    // violations beyond those listed
	What       string // what was judged: "arguments", "value"
	Signature  string // of the schema
}

func (e *ViolationsError) Error() string {
	var b strings.Builder
	b.WriteString("invalid " + e.What + ":")
	more := e.More
	for i, v := range e.Violations {
		line := v.String()
		if b.Len()+len(line)+len(e.Signature) > maxErrorText {
			more += len(e.Violations) - i
			break
		}
		b.WriteString("\n- " + line)
	}
	if more > 0 {
		fmt.Fprintf(&b, "\n… and %d more", more)
	}
	if e.Signature != "" {
		b.WriteString("\nexpected: " + e.Signature)
	}
	return b.String()
}

// pathText writes the place of a value: data.age, items[2], map["a key"].
func pathText(path []hop) string {
	var b strings.Builder
	for _, s := range path {
		switch {
		case s.list:
			fmt.Fprintf(&b, "[%s]", s.token)
		case !identifier(s.token):
			fmt.Fprintf(&b, "[%s]", quote(s.token))
		case b.Len() > 0:
			b.WriteString("." + s.token)
		default:
			b.WriteString(s.token)
		}
	}
	return cut(b.String(), maxPathText)
}

func identifier(s string) bool {
	return plainWord(s) && !strings.ContainsAny(s, "./")
}
