package luajson

import (
	"encoding/json"
)

// Kind is what a schema wants where an unmarked empty table stands.
type Kind uint8

const (
	AnyKind    Kind = iota // the schema leaves it open: a list
	ObjectKind             // an object
	ListKind               // a list
)

// Shape is what is left of a schema to tell {} from [] in an unmarked empty table. It is immutable once built; nil leaves everything open.
type Shape struct {
	Kind    Kind
	Members map[string]*Shape
	Rest    *Shape // of members that are not in Members
	Items   *Shape
}

// CompileShape reads a JSON Schema. What it does not understand, references and combinators among it, it leaves open.
func CompileShape(schema json.RawMessage) *Shape {
	var s struct {
		Type                 any                        `json:"type"`
		Properties           map[string]json.RawMessage `json:"properties"`
		AdditionalProperties json.RawMessage            `json:"additionalProperties"`
		Items                json.RawMessage            `json:"items"`
	}
	if len(schema) == 0 || json.Unmarshal(schema, &s) != nil {
		return nil
	}
	shape := &Shape{Kind: kindOf(s.Type), Rest: CompileShape(s.AdditionalProperties), Items: CompileShape(s.Items)}
	if len(s.Properties) > 0 {
		shape.Members = make(map[string]*Shape, len(s.Properties))
		for name, member := range s.Properties {
			shape.Members[name] = CompileShape(member)
		}
	}
	return shape
}

func kindOf(schemaType any) Kind {
	types, _ := schemaType.([]any)
	if name, ok := schemaType.(string); ok {
		types = []any{name}
	}
	object, list := false, false
	for _, name := range types {
		object = object || name == "object"
		list = list || name == "array"
	}
	switch {
	case object && !list:
		return ObjectKind
	case list && !object:
		return ListKind
	}
	return AnyKind
}

func (s *Shape) member(name string) *Shape {
	if s == nil {
		return nil
	}
	if m, ok := s.Members[name]; ok {
		return m
	}
	return s.Rest
}

func (s *Shape) items() *Shape {
	if s == nil {
		return nil
	}
	return s.Items
}
