package host

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/mcp"
)

const callLine = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add","arguments":{"a":15,"b":27}}}`

// BenchmarkCall times one call of a Lua tool with two numbers, step by step: a line in, a line out, in process.
func BenchmarkCall(b *testing.B) {
	h := newHost(b, Options{Dir: folder(b, map[string]string{"add.lua": addLua})})
	server := h.plainServer(&plainView{h: h, from: &caller{}})
	line := []byte(callLine)
	args := json.RawMessage(`{"a":15,"b":27}`)
	add, err := h.registry().lookup("add")
	if err != nil {
		b.Fatal(err)
	}

	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := protocol.Decode(line, false); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("gate", func(b *testing.B) {
		quick := newHost(b, Options{Tools: []Tool{raw("nothing", doNothing)}})
		view := client(quick, &caller{})
		p := &mcp.CallToolParams{Name: "go_nothing", Arguments: args}
		b.ReportAllocs()
		for b.Loop() {
			if _, err := view.CallTool(b.Context(), p); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("lua", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := add.lua.Call(b.Context(), args); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		res := &protocol.Response{ID: json.RawMessage("7"), Result: mcp.TextResult("15 + 27 = 42")}
		out := protocol.NewLineWriter(io.Discard)
		b.ReportAllocs()
		for b.Loop() {
			if err := out.WriteJSON(res); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("whole", func(b *testing.B) {
		var sink bytes.Buffer
		out := protocol.NewLineWriter(&sink)
		b.ReportAllocs()
		for b.Loop() {
			sink.Reset()
			req, _, fault := protocol.Decode(line, false)
			if fault != nil {
				b.Fatal(fault)
			}
			if err := out.WriteJSON(server.Handle(b.Context(), req)); err != nil {
				b.Fatal(err)
			}
		}
		if !strings.Contains(sink.String(), "15 + 27 = 42") {
			b.Fatalf("got %s", sink.String())
		}
	})
}
