package schema

import (
	"encoding/json"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Schema is one compiled schema. It is immutable and safe for concurrent use.
type Schema struct {
	raw       json.RawMessage
	root      *node
	compiled  *jsonschema.Schema
	costs     *costs
	rules     *rules // nil: the library judges alone
	signature string
	warnings  []string
	deepest   int // nesting of the deepest default
}

// Raw returns the schema's text as given to Compile.
func (s *Schema) Raw() json.RawMessage { return s.raw }

// Warnings are what Compile found odd and left: defaults that do not fit their own schema, which are never filled in.
func (s *Schema) Warnings() []string { return s.warnings }

// Signature writes the parameters for people and models: `location: string, units?: "celsius"|"fahrenheit"`.
func (s *Schema) Signature() string { return s.signature }

// Normalize judges args and returns their normal form. Empty args and null mean {}.
//
// Args that fit and lack no default come back as they came, the same bytes. Otherwise the members stand in the order they
// came, numbers with their digits, and the defaults of absent ones after them, nested ones too.
//
// Args that do not fit are repaired where the schema leaves no doubt, and judged again: a number, boolean, list or object
// that came as a string (also "True" and "False") where no string is allowed; null, or "null" and "" where no string is
// allowed, for an optional parameter counts as absent.
//
// A *ViolationsError lists what is wrong after that, by path. An *InputError means that args are no JSON or over a limit.
func (s *Schema) Normalize(args json.RawMessage) (json.RawMessage, error) {
	if len(args) == 0 || string(trim(args)) == "null" {
		args = json.RawMessage("{}")
	}
	if r, ok := s.fits(args); ok {
		if !r.lacking {
			return args, nil
		}
		return s.fill(args, &r)
	}
	v, r, err := decode(args)
	if err != nil {
		return nil, fmt.Errorf("the arguments cannot be read: %w", err)
	}
	wrong, err := s.judge(v, r)
	if err != nil {
		return nil, err
	}
	if wrong == nil {
		return s.fill(args, r)
	}
	return s.mend(args, v, wrong)
}

// mend makes the best of args that do not fit: repaired and filled in, else only repaired. What is still wrong is told of the
// first of these, which lacks the least.
func (s *Schema) mend(args json.RawMessage, v any, wrong *jsonschema.ValidationError) (json.RawMessage, error) {
	repaired, changed := s.repair(args)
	filled, added, err := fillIn(s.root, repaired)
	if err != nil {
		return nil, err
	}
	var tries [][]byte
	if added {
		tries = append(tries, filled)
	}
	if changed {
		tries = append(tries, repaired)
	}
	for i, text := range tries {
		fixed, r, err := decode(text)
		if err != nil {
			return nil, fmt.Errorf("the arguments cannot be read: %w", err)
		}
		still, err := s.judge(fixed, r)
		if err != nil {
			return nil, err
		}
		if still == nil {
			return text, nil
		}
		if i == 0 {
			v, wrong = fixed, still
		}
	}
	return nil, s.explain("arguments", v, wrong)
}

// Validate judges a value without repairing anything, such as a tool's structured output. Its errors are those of Normalize.
func (s *Schema) Validate(value json.RawMessage) error {
	if _, ok := s.fits(value); ok {
		return nil
	}
	v, r, err := decode(value)
	if err != nil {
		return fmt.Errorf("the value cannot be read: %w", err)
	}
	wrong, err := s.judge(v, r)
	if err != nil || wrong == nil {
		return err
	}
	return s.explain("value", v, wrong)
}

// judge asks the library. A nil *ValidationError means that v fits.
func (s *Schema) judge(v any, r *reader) (*jsonschema.ValidationError, error) {
	if err := s.costs.allow(r); err != nil {
		return nil, err
	}
	return judge(s.compiled, v)
}

func judge(sch *jsonschema.Schema, v any) (wrong *jsonschema.ValidationError, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case tooLong:
			wrong, err = nil, &InputError{-1, fmt.Sprintf("a text of %d bytes, too long for the pattern it must match", p.bytes)}
		default:
			wrong, err = nil, fmt.Errorf("the schema could not judge the value: %v", p)
		}
	}()
	if err := sch.Validate(v); err != nil {
		wrong, ok := err.(*jsonschema.ValidationError)
		if !ok {
			return nil, err
		}
		return wrong, nil
	}
	return nil, nil
}
