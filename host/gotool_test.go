package host

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/luatools/luatools/protocol/mcp"
)

type place struct {
	Name string   `json:"name" jsonschema:"where"`
	Tags []string `json:"tags,omitempty"`
	Any  any      `json:"any,omitempty"`
	Deep struct {
		N *int `json:"n,omitempty"`
	} `json:"deep,omitzero"`
}

func TestNewToolSchema(t *testing.T) {
	tool := NewTool("place", "Find a place.", func(context.Context, place) (place, error) { return place{}, nil })
	h := newHost(t, Options{Tools: []Tool{tool}})
	info, err := h.Lookup("go/place")
	if err != nil {
		t.Fatal(err)
	}
	got := string(info.Tool.InputSchema)
	for _, want := range []string{
		`"type":"object"`, `"required":["name"]`, `"additionalProperties":false`,
		`"name":{"type":"string","description":"where"}`,
		`"tags":{"type":"array","items":{"type":"string"}}`,
		`"any":{"type":["string","number","integer","boolean","object","array","null"]}`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\nlacks %s", got, want)
		}
	}
	if info.Tool.OutputSchema == nil {
		t.Error("a struct as output declares no schema")
	}
	empty := NewTool("ping", "Answer at once.", func(context.Context, struct{}) (string, error) { return "pong", nil })
	if got := string(empty.Definition.InputSchema); !strings.Contains(got, `"properties":{}`) || !strings.Contains(got, `"required":[]`) {
		t.Errorf("without parameters: %s", got)
	}
}

func TestNewToolResults(t *testing.T) {
	made := &mcp.CallToolResult{Content: []mcp.Content{{Type: "image", Data: "AAAA", MIMEType: "image/png"}}}
	type out struct {
		HTML string `json:"html"`
	}
	for _, tt := range []struct {
		name       string
		tool       Tool
		text       string
		structured string
		isError    bool
	}{
		{"a string is a text", NewTool("f", "d", func(context.Context, struct{}) (string, error) { return "<b>", nil }), "<b>", "", false},
		{"a struct is structured, and its JSON a text", NewTool("f", "d", func(context.Context, struct{}) (out, error) { return out{"<b>"}, nil }), `{"html":"<b>"}`, `{"html":"<b>"}`, false},
		{"so is a pointer to one", NewTool("f", "d", func(context.Context, struct{}) (*out, error) { return &out{"x"}, nil }), `{"html":"x"}`, `{"html":"x"}`, false},
		{"no struct at all is null", NewTool("f", "d", func(context.Context, struct{}) (*out, error) { return nil, nil }), `null`, ``, false},
		{"a map is structured", NewTool("f", "d", func(context.Context, struct{}) (map[string]int, error) { return map[string]int{"n": 1}, nil }), `{"n":1}`, `{"n":1}`, false},
		{"a number is its JSON", NewTool("f", "d", func(context.Context, struct{}) (int, error) { return 42, nil }), `42`, ``, false},
		{"a list is its JSON", NewTool("f", "d", func(context.Context, struct{}) ([]int, error) { return []int{1, 2}, nil }), `[1,2]`, ``, false},
		{"anything is its JSON", NewTool("f", "d", func(context.Context, struct{}) (any, error) { return out{"y"}, nil }), `{"html":"y"}`, ``, false},
		{"an error is for the model", NewTool("f", "d", func(context.Context, struct{}) (int, error) { return 0, errors.New("no luck") }), "no luck", "", true},
		{"what has no JSON is an error", NewTool("f", "d", func(context.Context, struct{}) (any, error) { return func() {}, nil }), "result: json: unsupported type: func()", "", true},
		{"a result is sent as it is", NewTool("f", "d", func(context.Context, struct{}) (*mcp.CallToolResult, error) { return made, nil }), "", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHost(t, Options{Tools: []Tool{tt.tool}})
			res, err := h.Call(t.Context(), ToolName{"go", "f"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if text(res) != tt.text || string(res.StructuredContent) != tt.structured || res.IsError != tt.isError {
				t.Errorf("got %+v", res)
			}
			if _, err := res.AppendJSON(nil); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestGoToolsThatCannotBeUsed(t *testing.T) {
	fn := func(context.Context, struct{}) (string, error) { return "", nil }
	type loop struct{ Next *loop }
	for _, tt := range []struct {
		name  string
		tools []Tool
		says  []string
	}{
		{"a name that does not fit", []Tool{NewTool("Add", "d", fn)}, []string{`"Add"`, "lower-case", "gotool_test.go:"}},
		{"no name", []Tool{NewTool("", "d", fn)}, []string{"tool name"}},
		{"two underscores", []Tool{NewTool("a__b", "d", fn)}, []string{"two underscores"}},
		{"a name that is too long", []Tool{NewTool(strings.Repeat("a", 60), "d", fn)}, []string{"64"}},
		{"no description", []Tool{NewTool("a", "", fn)}, []string{"no description"}},
		{"no function", []Tool{{Definition: mcp.Tool{Name: "a", Description: "d"}}}, []string{"Options.Tools[0]", "no function"}},
		{"an input that is no object", []Tool{NewTool("a", "d", func(context.Context, int) (string, error) { return "", nil })}, []string{"input type int"}},
		{"an input that contains itself", []Tool{NewTool("a", "d", func(context.Context, loop) (string, error) { return "", nil })}, []string{"cycle"}},
		{"a schema that is none", []Tool{{Definition: mcp.Tool{Name: "a", Description: "d", InputSchema: json.RawMessage(`{"type":"strng"}`)}, Call: func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) { return nil, nil }}}, []string{"input schema"}},
		{"one name twice, both places are named", []Tool{NewTool("a", "d", fn), {Definition: mcp.Tool{Name: "a", Description: "d"}, Call: func(context.Context, json.RawMessage) (*mcp.CallToolResult, error) { return nil, nil }}}, []string{"go/a", "there twice", "gotool_test.go:", "Options.Tools[1]"}},
		{"one plain name twice", []Tool{{Server: "a", Definition: mcp.Tool{Name: "b_c", Description: "d"}, Call: addTool().Call}, {Server: "a_b", Definition: mcp.Tool{Name: "c", Description: "d"}, Call: addTool().Call}}, []string{"a/b_c", "a_b/c", `"a_b_c"`}},
		{"every fault is told", []Tool{NewTool("A", "d", fn), NewTool("b", "", fn)}, []string{`"A"`, "no description"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := New(Options{Tools: tt.tools})
			if err == nil {
				t.Fatal("no error")
			}
			for _, s := range tt.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("%q lacks %q", err, s)
				}
			}
		})
	}
}

func TestRuleThatCannotBeReadStopsNew(t *testing.T) {
	if _, err := New(Options{Policy: Policy{[]Rule{{"*", Deny}}}}); err == nil || !strings.Contains(err.Error(), "--deny *") {
		t.Errorf("got %v", err)
	}
}
