// Package schema is JSON Schema for tools: it compiles and bounds schemas, judges arguments, repairs what leaves no doubt,
// fills in defaults, writes a signature for people, and reads arguments from a command line.
package schema

import (
	"encoding/json"
	"errors"
)

var errTODO = errors.New("not built yet")

// Schema is one compiled schema. It is immutable and safe for concurrent use.
type Schema struct{}

// Compile checks and compiles the schema of a tool's input or output. The root must be an object schema. It never opens a file or URL,
// bounds the schema's size, and recovers from the library's panics. Errors name the place by JSON pointer.
func Compile(raw json.RawMessage) (*Schema, error) { return nil, errTODO }

// Raw returns the schema's text as given to Compile.
func (s *Schema) Raw() json.RawMessage { return nil }

// Normalize judges args and returns their normal form: valid input without defaults comes back as it came (the same bytes); otherwise
// repaired, optional nulls dropped, defaults filled in (nested ones too). A *ViolationsError lists every violation by path.
// Any other error means that args is not JSON or too large (depth, nodes, UTF-8, exponents).
func (s *Schema) Normalize(args json.RawMessage) (json.RawMessage, error) { return nil, errTODO }

// Validate judges a value without repairing anything (a tool's structured output).
func (s *Schema) Validate(value json.RawMessage) error { return errTODO }

// Signature writes the parameters for people: `location: string, units?: "celsius"|"fahrenheit"`.
func (s *Schema) Signature() string { return "" }

// Violation is one thing wrong with the arguments.
type Violation struct {
	Path    string // "data.age", "items[2]"; empty for the whole
	Message string // "200 is above the maximum 150"
}

// ViolationsError lists all violations in the order of the schema; its text is for the model.
type ViolationsError struct{ Violations []Violation }

func (e *ViolationsError) Error() string { return "" }

// Arguments reads a command line's arguments: one JSON object, or key=value words (text where the schema wants a string, else read as JSON;
// a key given twice makes a list). schema may be nil.
func Arguments(words []string, s *Schema) (json.RawMessage, error) { return nil, errTODO }

// Call is one line of a prompt that is a call: `greet name=Alice` or `db/query {"sql":"…"}`.
type Call struct {
	Tool      string
	Arguments json.RawMessage
}

// ParseCalls reads a prompt whose every line is a call. lookup returns the schema of a tool by the name as written, or false.
// ok is false when the prompt is no list of calls (then it is a prompt like any other); err when it is one whose arguments cannot be read.
func ParseCalls(prompt string, lookup func(tool string) (json.RawMessage, bool)) (calls []Call, ok bool, err error) {
	return nil, false, errTODO
}
