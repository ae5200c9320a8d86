package control

import (
	"bytes"
	"context"
	"io"
	"testing"

	"github.com/luatools/luatools/protocol"
)

// A tools/call of 2.1.33 as it comes over the wire, 302 bytes.
var benchLine = []byte(`{"type":"control_request","request_id":"5f2b8c1e-9d4a-4f6b-8a53-0c9c7d1f2e10","request":{"subtype":"mcp_message","server_name":"demo_tools","message":{"method":"tools/call","params":{"name":"add","arguments":{"a":15,"b":27},"_meta":{"claudecode/toolUseId":"toolu_011ps2HcHPddjonXwz1ezAnE","progressToken":2}},"jsonrpc":"2.0","id":2}}}`)

// trivial is a Handler that costs nothing itself.
type trivial struct{ demo }

var fortyTwo = &protocol.Response{Result: protocol.Raw(`{"content":[{"type":"text","text":"42"}]}`)}

func (*trivial) MCPMessage(context.Context, string, *protocol.Request) (*protocol.Response, error) {
	return fortyTwo, nil
}

func (*trivial) Written(string, *protocol.Request) {}

// BenchmarkCall times one tools/call on the control channel, without a tool.
//
//	decode  line → JSON-RPC request
//	encode  response → line
//	whole   line read, request run in its goroutine, answer written; one at a time
//	flood   the same, as fast as the lines can be read
func BenchmarkCall(b *testing.B) {
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			e, err := decode(benchLine)
			if err != nil {
				b.Fatal(err)
			}
			in, err := decodeInner(e.request)
			if err != nil {
				b.Fatal(err)
			}
			if req, _, _ := protocol.Decode(in.message, true); req == nil {
				b.Fatal("no request")
			}
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		out := protocol.NewLineWriter(io.Discard)
		for b.Loop() {
			m := &mcpAnswer{*fortyTwo}
			m.ID = []byte("2")
			if err := out.WriteJSON(&answer{id: []byte(`"5f2b8c1e"`), payload: m}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("whole", func(b *testing.B) {
		b.ReportAllocs()
		answered := make(chan struct{}, 1)
		f := &feed{left: b.N, wait: answered}
		answered <- struct{}{}
		c := NewConn(f, writerFunc(func(p []byte) (int, error) {
			answered <- struct{}{}
			return len(p), nil
		}), &trivial{}, Options{})
		if err := c.Serve(b.Context()); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("flood", func(b *testing.B) {
		b.ReportAllocs()
		if err := NewConn(&feed{left: b.N}, io.Discard, &trivial{}, Options{}).Serve(b.Context()); err != nil {
			b.Fatal(err)
		}
	})
}

// feed gives benchLine again and again, each time under another request_id.
type feed struct {
	left int
	wait <-chan struct{} // before each line; nil: never
}

func (f *feed) Read(p []byte) (int, error) {
	if f.wait != nil {
		<-f.wait
	}
	if f.left == 0 {
		return 0, io.EOF
	}
	n := copy(p, benchLine)
	id := p[bytes.Index(p, []byte("5f2b8c1e")):]
	for i, v := 7, f.left; i >= 0; i, v = i-1, v/10 {
		id[i] = '0' + byte(v%10)
	}
	f.left--
	return n + copy(p[n:], "\n"), nil
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
