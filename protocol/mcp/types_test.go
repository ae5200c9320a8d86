package mcp

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/luatools/luatools/protocol"
)

func raw(s string) json.RawMessage { return json.RawMessage(s) }

func TestAppendJSON(t *testing.T) {
	for _, tt := range []struct {
		name  string
		value protocol.Appender
		want  string
	}{
		{"a text block is its type and text", TextResult("Hello, Alice! Welcome."), `{"content":[{"type":"text","text":"Hello, Alice! Welcome."}]}`},
		{"isError is there when true", ErrorResult("no"), `{"content":[{"type":"text","text":"no"}],"isError":true}`},
		{"content is an array even when empty", &CallToolResult{}, `{"content":[]}`},
		{"an empty text is a text", TextResult(""), `{"content":[{"type":"text","text":""}]}`},
		{"newlines inside text stay on the line", TextResult("a\nb\r\n"), `{"content":[{"type":"text","text":"a\nb\r\n"}]}`},
		{"HTML stays as it is", TextResult("<b>&</b>"), `{"content":[{"type":"text","text":"<b>&</b>"}]}`},
		{"all of a result, in order", &CallToolResult{
			Content: []Content{{Type: "text", Text: "x", Annotations: raw(`{"priority":1}`), Meta: raw(`{"m":2}`)}}, IsError: true,
			StructuredContent: raw(`{"n":9007199254740993}`), Meta: raw(`{"claude/endTurn":true}`)},
			`{"content":[{"type":"text","text":"x","annotations":{"priority":1},"_meta":{"m":2}}],"structuredContent":{"n":9007199254740993},"isError":true,"_meta":{"claude/endTurn":true}}`},
		{"an image", &Content{Type: "image", Data: "iVBORw0=", MIMEType: "image/png"}, `{"type":"image","data":"iVBORw0=","mimeType":"image/png"}`},
		{"a sound", &Content{Type: "audio", Data: "UklGRg==", MIMEType: "audio/wav"}, `{"type":"audio","data":"UklGRg==","mimeType":"audio/wav"}`},
		{"a short link", &Content{Type: "resource_link", URI: "file:///a", Name: "a"}, `{"type":"resource_link","uri":"file:///a","name":"a"}`},
		{"a long link", &Content{Type: "resource_link", URI: "file:///a", Name: "a", Title: "A", Description: "the a", MIMEType: "text/plain", Size: 12},
			`{"type":"resource_link","uri":"file:///a","name":"a","title":"A","description":"the a","mimeType":"text/plain","size":12}`},
		{"a resource", &Content{Type: "resource", Resource: raw(`{"uri":"file:///a","text":"x"}`)}, `{"type":"resource","resource":{"uri":"file:///a","text":"x"}}`},
		{"a tool of the least", &Tool{Name: "greet", Description: "Greet someone by name", InputSchema: raw(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)},
			`{"name":"greet","description":"Greet someone by name","inputSchema":{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}}`},
		{"all of a tool, in order", &Tool{Name: "n", Title: "T", Description: "D", InputSchema: raw(`{"a":1}`), OutputSchema: raw(`{"b":1}`), Annotations: raw(`{"c":1}`), Icons: raw(`[{"src":"x"}]`), Meta: raw(`{"d":1}`)},
			`{"name":"n","title":"T","description":"D","inputSchema":{"a":1},"outputSchema":{"b":1},"annotations":{"c":1},"icons":[{"src":"x"}],"_meta":{"d":1}}`},
		{"progress of a total", &Progress{Token: raw("2"), Progress: 3, Total: 9, Message: "page 3"}, `{"progressToken":2,"progress":3,"total":9,"message":"page 3"}`},
		{"progress of no total", &Progress{Token: raw(`"a"`), Progress: 0.5}, `{"progressToken":"a","progress":0.5}`},
		{"progress of a large number is no exponent", &Progress{Token: raw("2"), Progress: 1e21}, `{"progressToken":2,"progress":1000000000000000000000}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.value.AppendJSON([]byte("x"))
			if err != nil || string(got) != "x"+tt.want {
				t.Errorf("AppendJSON:\n got %s, %v\nwant x%s", got, err, tt.want)
			}
			if !json.Valid(got[1:]) {
				t.Error("it is no JSON")
			}
		})
	}
}

func TestAppendJSONRefuses(t *testing.T) {
	schema := raw(`{"type":"object"}`)
	for _, tt := range []struct {
		name  string
		value protocol.Appender
		want  string
	}{
		{"a block of unknown type", &CallToolResult{Content: []Content{{Type: "text"}, {Type: "video"}}}, `content 1: unknown type "video"`},
		{"a block without type", &Content{}, `unknown type ""`},
		{"a resource without resource", &Content{Type: "resource"}, "a resource block has no resource"},
		{"a resource that is no object", &Content{Type: "resource", Resource: raw(`"x"`)}, `resource is no JSON object: "x"`},
		{"annotations that are no JSON", &Content{Type: "text", Annotations: raw(`{`)}, `annotations is no JSON object: {`},
		{"structured content that is an array", &CallToolResult{StructuredContent: raw(`[1]`)}, `structuredContent is no JSON object: [1]`},
		{"meta that breaks off", &CallToolResult{Meta: raw(`{"a":`)}, `_meta is no JSON object: {"a":`},
		{"a tool without schema", &Tool{Name: "n"}, `tool "n": it has no input schema`},
		{"a tool with a bad schema", &Tool{Name: "n", InputSchema: raw(`[]`)}, `tool "n": inputSchema is no JSON object: []`},
		{"the first fault of a tool, not the last", &Tool{Name: "n", InputSchema: raw(`[]`), Icons: raw(`{}`), Meta: raw(`1`)}, `tool "n": inputSchema is no JSON object: []`},
		{"icons that are no array", &Tool{Name: "n", InputSchema: schema, Icons: raw(`{}`)}, `tool "n": icons: want a JSON array at byte 0, not '{'`},
		{"progress without token", &Progress{}, "progress without a token"},
		{"progress that is no number", &Progress{Token: raw("1"), Progress: math.NaN()}, "progress NaN of 0 is no JSON number"},
		{"progress without end", &Progress{Token: raw("1"), Total: math.Inf(1)}, "progress 0 of +Inf is no JSON number"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := tt.value.AppendJSON(nil); err == nil || err.Error() != tt.want {
				t.Errorf("AppendJSON = %s, %v; want the error %s", got, err, tt.want)
			}
		})
	}
}

func BenchmarkEncodeResult(b *testing.B) {
	for name, res := range map[string]*CallToolResult{
		"text":            TextResult("Hello, Alice! Welcome."),
		"64KB_text":       TextResult(strings.Repeat("some words of a text, ", 3000)),
		"64KB_structured": {StructuredContent: raw(`{"rows":["` + strings.Repeat("some words of a text, ", 3000) + `"]}`)},
	} {
		b.Run(name, func(b *testing.B) {
			dst := make([]byte, 0, 1<<18)
			b.ReportAllocs()
			for b.Loop() {
				dst, _ = res.AppendJSON(dst[:0])
			}
		})
	}
}
