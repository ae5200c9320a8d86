package scripts

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/yuin/gopher-lua/ast"

	"github.com/luatools/luatools/luabind/luajson"
	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/schema"
)

// minDescription is how long a description must be not to be warned about, in characters.
const minDescription = 20

// judge compiles the schemas of a tool and says what is wrong with its declarations.
func (l *loader) judge(src *source, t *Tool, calls []toolCall) (list []*Error) {
	def := t.Definition
	call := callAt(t.Line, calls)
	at := func(field, message string) *Error { return src.atDeclared(t, call, field, message) }
	if !t.named {
		return append(list, at("", "a file that returns several tools names each: this one has no name"))
	}
	if bad := checkNames(t.Server, t.Name); bad != "" {
		list = append(list, at("name", bad))
	}
	switch n := utf8.RuneCountInString(strings.TrimSpace(def.Description)); {
	case n == 0:
		list = append(list, at("description", fmt.Sprintf("tool %q has no description: the model chooses tools by it", t.Name)))
	case n < minDescription:
		list = append(list, warn(at("description", fmt.Sprintf("the description of %q has %d characters: say what the tool does and returns", t.Name, n))))
	}
	var err error
	if t.Input, err = schema.Compile(def.InputGate); err != nil {
		list = append(list, at("input", fmt.Sprintf("tool %q: input: %v", t.Name, err)))
	} else {
		for _, p := range undescribed(def.Input) {
			list = append(list, warn(at("input", fmt.Sprintf("parameter '%s' has no description; models guess", p))))
		}
		list = append(list, examples(t, at)...)
	}
	if def.OutputDeclared {
		if t.Output, err = schema.Compile(def.OutputGate); err != nil {
			list = append(list, at("output", fmt.Sprintf("tool %q: output: %v", t.Name, err)))
		}
		t.shape = luajson.CompileShape(def.Output)
	}
	if ro := def.ReadOnly; ro != nil && *ro {
		for _, name := range []string{"write", "run"} {
			if declares(&def.Permissions, name) {
				list = append(list, warn(at("read_only", fmt.Sprintf("tool %q says read_only and declares %s", t.Name, name))))
			}
		}
	}
	return list
}

func warn(e *Error) *Error {
	e.Warning = true
	return e
}

// atDeclared is a fault at a field of the tool's declaration, or at the tool when the field is not written there.
func (s *source) atDeclared(t *Tool, call *toolCall, field, message string) *Error {
	if call != nil && call.fields != nil && field != "" {
		if line := fieldLine(call.fields, field); line > 0 {
			return s.fault(line, columnOf(s.text, field, line, 0, true), len(field), message)
		}
	}
	return s.fault(t.Line, columnOf(s.text, "tool", t.Line, 0, false), len("tool"), message)
}

// callAt returns the tool call that spans line, or nil.
func callAt(line int, calls []toolCall) *toolCall {
	for i := range calls {
		first := calls[i].call.Line()
		last := max(first, calls[i].call.LastLine())
		if t := calls[i].fields; t != nil {
			last = max(last, t.LastLine())
			for _, f := range t.Fields {
				last = max(last, f.Value.Line(), f.Value.LastLine())
			}
		}
		if line >= first && line <= last {
			return &calls[i]
		}
	}
	return nil
}

// fieldLine returns the line of a field of tool{}, also of a table in it; 0 when there is none.
func fieldLine(t *ast.TableExpr, name string) int {
	for _, f := range t.Fields {
		if key, ok := f.Key.(*ast.StringExpr); ok && key.Value == name {
			return max(key.Line(), t.Line())
		}
	}
	for _, f := range t.Fields {
		if inner, ok := f.Value.(*ast.TableExpr); ok {
			if line := fieldLine(inner, name); line > 0 {
				return line
			}
		}
	}
	return 0
}

// undescribed returns the parameters without a description, in the order of the schema.
func undescribed(input json.RawMessage) (names []string) {
	var properties []byte
	member(input, "properties", &properties)
	protocol.Members(properties, func(key, value []byte) bool {
		var description []byte
		member(value, "description", &description)
		if len(description) <= len(`""`) {
			names = append(names, string(key))
		}
		return true
	})
	return names
}

// member sets out to a member of an object, as far as there is one.
func member(object []byte, name string, out *[]byte) {
	protocol.Members(object, func(key, value []byte) bool {
		if string(key) == name {
			*out = value
			return false
		}
		return true
	})
}

// examples warns of examples that the tool's own schema refuses.
func examples(t *Tool, at func(field, message string) *Error) (list []*Error) {
	if len(t.Definition.Examples) == 0 {
		return nil
	}
	var all []struct{ Input json.RawMessage }
	if err := json.Unmarshal(t.Definition.Examples, &all); err != nil {
		return []*Error{at("examples", "examples: want a list of { input =, output =, note = }")}
	}
	for i, e := range all {
		if e.Input == nil {
			e.Input = json.RawMessage("{}")
		}
		_, err := t.Input.Normalize(e.Input)
		if v, ok := errors.AsType[*schema.ViolationsError](err); ok {
			list = append(list, warn(at("examples", fmt.Sprintf("example %d does not fit the tool's input: %v", i+1, v))))
		}
	}
	return list
}
