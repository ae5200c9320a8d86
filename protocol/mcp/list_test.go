package mcp

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// page asks for one page and returns the names on it and the next cursor.
func page(t *testing.T, s *Server, params string) (names []string, next string) {
	t.Helper()
	got := handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"`+params+`}`)
	var answer struct {
		Result *struct {
			Tools      []struct{ Name string }
			NextCursor string
		}
	}
	if err := json.Unmarshal([]byte(got), &answer); err != nil || answer.Result == nil {
		t.Fatalf("answer = %s, %v", got, err)
	}
	for _, tool := range answer.Result.Tools {
		names = append(names, tool.Name)
	}
	return names, answer.Result.NextCursor
}

func TestListOnOnePage(t *testing.T) {
	list := toolList(t, "a", "b", "c")
	s := NewServer(testInfo, &shelf{list: list}, Options{})
	for _, params := range []string{``, `,"params":null`, `,"params":{}`, `,"params":{"cursor":null}`, `,"params":{"_meta":{}}`} {
		want := `{"jsonrpc":"2.0","id":1,"result":{"tools":` + string(list) + `}}`
		if got := handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list"`+params+`}`); got != want {
			t.Errorf("params %q:\n got %s\nwant %s", params, got, want)
		}
	}
	t.Run("no tools are an empty array", func(t *testing.T) {
		want := `{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`
		for _, list := range []json.RawMessage{nil, json.RawMessage("[]")} {
			if got := handle(t, NewServer(testInfo, &shelf{list: list}, Options{}), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`); got != want {
				t.Errorf("list %q: %s", list, got)
			}
		}
	})
}

func TestListInPages(t *testing.T) {
	var names []string
	for i := range 7 {
		names = append(names, fmt.Sprintf("tool_%d", i))
	}
	for size := 1; size <= 8; size++ {
		s := NewServer(testInfo, &shelf{list: toolList(t, names...)}, Options{PageSize: size})
		var got []string
		pages, params := 0, ""
		for {
			tools, next := page(t, s, params)
			if len(tools) > size {
				t.Fatalf("%d tools on a page of %d", len(tools), size)
			}
			got = append(got, tools...)
			pages++
			if next == "" {
				break
			}
			params = `,"params":{"cursor":"` + next + `"}`
		}
		if fmt.Sprint(got) != fmt.Sprint(names) || pages != (len(names)+size-1)/size {
			t.Errorf("pages of %d: %v on %d pages", size, got, pages)
		}
	}
}

func TestACursorStaysGoodWhenTheListChanges(t *testing.T) {
	c := &shelf{list: toolList(t, "a", "b", "c", "d")}
	s := NewServer(testInfo, c, Options{PageSize: 2})
	_, next := page(t, s, "")
	c.list = toolList(t, "a", "a2", "c", "d") // "b", which the cursor names, is gone
	if got, _ := page(t, s, `,"params":{"cursor":"`+next+`"}`); fmt.Sprint(got) != "[c d]" {
		t.Errorf("the next page is %v, want [c d]", got)
	}
}

func TestInvalidCursor(t *testing.T) {
	encode := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	for _, size := range []int{0, 2} {
		s := NewServer(testInfo, &shelf{list: toolList(t, "a", "b", "c")}, Options{PageSize: size})
		for _, cursor := range []string{`""`, `"x"`, `"\u00e9"`, `7`, `{}`, `"` + encode("b") + `"`, `"` + encode("after:") + `"`} {
			got := handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":`+cursor+`}}`)
			if !strings.Contains(got, `"error":{"code":-32602,"message":"invalid cursor `) {
				t.Errorf("cursor %s with pages of %d: %s", cursor, size, got)
			}
		}
	}
}

func BenchmarkList(b *testing.B) {
	var names []string
	for i := range 1000 {
		names = append(names, fmt.Sprintf("tool_%03d", i))
	}
	list := toolList(b, names...)
	for _, size := range []int{0, 100} {
		b.Run(fmt.Sprintf("1000_tools_pages_of_%d", size), func(b *testing.B) {
			s := NewServer(testInfo, &shelf{list: list}, Options{PageSize: size})
			dst := make([]byte, 0, 1<<20)
			b.ReportAllocs()
			for b.Loop() {
				page, err := s.listTools(nil)
				if err != nil {
					b.Fatal(err)
				}
				dst, _ = page.AppendJSON(dst[:0])
			}
		})
	}
}
