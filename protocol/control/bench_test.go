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
		f := &feed{left: b.N, next: make(chan struct{}, 1), line: append(bytes.Clone(benchLine), '\n')}
		f.next <- struct{}{}
		c := NewConn(f, writerFunc(func(p []byte) (int, error) {
			f.next <- struct{}{}
			return len(p), nil
		}), &trivial{}, Options{})
		if err := c.Serve(b.Context()); err != nil {
			b.Fatal(err)
		}
	})
	b.Run("flood", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		r := readerFunc(func(p []byte) (int, error) {
			if n == b.N {
				return 0, io.EOF
			}
			n++
			id := []byte("00000000") // an id of its own for each: one in work is not started twice
			for i, v := 7, n; i >= 0; i, v = i-1, v/10 {
				id[i] = '0' + byte(v%10)
			}
			at := bytes.Index(benchLine, []byte("5f2b8c1e"))
			return copy(p, benchLine[:at]) + copy(p[at:], id) + copy(p[at+8:], benchLine[at+8:]) + copy(p[len(benchLine):], "\n"), nil
		})
		if err := NewConn(r, io.Discard, &trivial{}, Options{}).Serve(b.Context()); err != nil {
			b.Fatal(err)
		}
	})
}

// feed gives the same line again after each answer.
type feed struct {
	left int
	next chan struct{}
	line []byte
}

func (f *feed) Read(p []byte) (int, error) {
	<-f.next
	if f.left == 0 {
		return 0, io.EOF
	}
	f.left--
	return copy(p, f.line), nil
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
