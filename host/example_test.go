package host_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/luatools/luatools/host"
	"github.com/luatools/luatools/protocol/control/rehearsal"
)

// A folder with one tool.
func exampleFolder() string {
	root, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	dir := filepath.Join(root, "tools")
	if err := os.Mkdir(dir, 0o755); err != nil {
		log.Fatal(err)
	}
	source := `return tool("greet", "Greet someone by name.", { name = "string" },
  function(args) return "Hello, " .. args.name .. "!" end)`
	if err := os.WriteFile(filepath.Join(dir, "greet.lua"), []byte(source), 0o644); err != nil {
		log.Fatal(err)
	}
	return dir
}

// A session with the tools of a folder. The rehearsal agent stands in for the Claude CLI, which Command.Path would start.
func ExampleNew() {
	dir := exampleFolder()
	defer os.RemoveAll(filepath.Dir(dir))
	ctx := context.Background()

	h, err := host.New(host.Options{Dir: dir})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	s, err := h.Start(ctx, host.SessionOptions{Peer: rehearsal.Start(ctx, rehearsal.Options{})})
	if err != nil {
		log.Fatal(err)
	}
	defer s.Close()
	for m, err := range s.Query(ctx, "greet name=Ada") {
		if err != nil {
			log.Fatal(err)
		}
		if res, ok := m.Result(); ok {
			fmt.Println(res.Text)
		}
	}
	// Output: Hello, Ada!
}

// A tool written in Go, called as a person would.
func ExampleNewTool() {
	type input struct {
		A float64 `json:"a" jsonschema:"the first number"`
		B float64 `json:"b" jsonschema:"the second number"`
	}
	type output struct {
		Sum float64 `json:"sum"`
	}
	add := host.NewTool("add", "Add two numbers.", func(_ context.Context, in input) (output, error) {
		return output{in.A + in.B}, nil
	})

	h, err := host.New(host.Options{Tools: []host.Tool{add}})
	if err != nil {
		log.Fatal(err)
	}
	defer h.Close()
	res, err := h.Call(context.Background(), host.ToolName{Server: "go", Tool: "add"}, []byte(`{"a":1,"b":2}`))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(res.Content[0].Text)
	res, _ = h.Call(context.Background(), host.ToolName{Server: "go", Tool: "add"}, []byte(`{"a":1}`))
	fmt.Println(res.IsError)
	// Output:
	// {"sum":3}
	// true
}
