package schema

import (
	"encoding/json"
	"testing"
)

func BenchmarkNormalize(b *testing.B) {
	const five = `{"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":100},"age":{"type":"integer","minimum":0,"maximum":150},
		"email":{"type":"string","pattern":"^[^@]+@[^@]+$"},"kind":{"type":"string","enum":["bug","feature","task"]},"tags":{"type":"array","items":{"type":"string"}}},"required":["name","age"]}`
	const two = `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`
	for _, bb := range []struct{ name, schema, args string }{
		{"two_numbers", two, `{"a":2,"b":3.5}`},
		{"five_properties", five, `{"name":"Ada","age":36,"email":"ada@example.com","kind":"bug","tags":["a","b"]}`},
		{"a_default", weather, `{"location":"Bern","days":3}`},
		{"a_repair", two, `{"a":"2","b":3.5}`},
		{"violations", two, `{"a":"x","c":3.5}`},
	} {
		s := compileClosed(b, bb.schema)
		slow := *s
		slow.rules = nil
		for _, way := range []struct {
			name string
			s    *Schema
		}{{"rules", s}, {"library", &slow}} {
			b.Run(bb.name+"/"+way.name, func(b *testing.B) {
				args := json.RawMessage(bb.args)
				b.ReportAllocs()
				for b.Loop() {
					_, _ = way.s.Normalize(args)
				}
			})
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := CompileClosed(json.RawMessage(weather)); err != nil {
			b.Fatal(err)
		}
	}
}

func TestNormalizeOfUsualArgumentsAllocatesNothing(t *testing.T) {
	s := compileClosed(t, `{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number","minimum":0.5},"c":{"enum":["x"]}},"required":["a","b"]}`)
	args := json.RawMessage(`{"a":2,"b":3.25,"c":"x"}`)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := s.Normalize(args); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
