package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/luatools/luatools/protocol"
)

// shelf is a Catalog for tests. Its tools stand in testdata/*.trace with what they answer.
type shelf struct {
	list json.RawMessage
	last *CallToolParams // of the last call; only tests with one call at a time look at it
}

func (s *shelf) ToolList() json.RawMessage { return s.list }

func (s *shelf) CallTool(ctx context.Context, call *CallToolParams) (*CallToolResult, error) {
	switch call.Name {
	case "greet":
		var args struct{ Name string }
		if err := json.Unmarshal(call.Arguments, &args); err != nil {
			return nil, err
		}
		return TextResult("Hello, " + args.Name + "! Welcome."), nil
	case "echo":
		return TextResult(string(call.Arguments)), nil
	case "remember":
		s.last = call
		return TextResult("remembered"), nil
	case "fail":
		return ErrorResult("no such file: notes.txt"), nil
	case "wait":
		<-ctx.Done()
		return ErrorResult(context.Cause(ctx).Error()), nil
	case "wait_error":
		<-ctx.Done()
		return nil, ctx.Err()
	case "report":
		err := NotifierFrom(ctx).Notify(MethodProgress, &Progress{Token: call.ProgressToken, Progress: 3, Total: 9, Message: "page 3"})
		return TextResult("9 pages"), err
	case "break":
		panic("index out of range")
	case "nothing":
		return nil, nil
	case "bad_block":
		return &CallToolResult{Content: []Content{{Type: "video"}}}, nil
	case "internal":
		return nil, errors.New("the disk is gone")
	case "refuse":
		return nil, fmt.Errorf("gate: %w", &protocol.Error{Code: -32001, Message: "closed", Data: json.RawMessage(`{"until":"noon"}`)})
	}
	return nil, protocol.Errorf(protocol.CodeInvalidParams, "unknown tool %q", call.Name)
}

// toolList encodes tools of the given names.
func toolList(t testing.TB, names ...string) json.RawMessage {
	list := []byte{'['}
	for i, name := range names {
		if i > 0 {
			list = append(list, ',')
		}
		tool := Tool{Name: name, Description: "Tool " + name, InputSchema: json.RawMessage(`{"type":"object","properties":{},"required":[]}`)}
		var err error
		if list, err = tool.AppendJSON(list); err != nil {
			t.Fatal(err)
		}
	}
	return append(list, ']')
}

var testInfo = Info{Name: "demo_tools", Version: "1.0.0"}

// handle passes one message through a Server and returns its answer's line.
func handle(t testing.TB, s *Server, in string) string {
	t.Helper()
	req, _, bad := protocol.Decode([]byte(in), false)
	if bad != nil {
		t.Fatal(bad)
	}
	res := s.Handle(t.Context(), req)
	if res == nil {
		return ""
	}
	out, err := res.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	if !json.Valid(out) {
		t.Fatalf("the answer is no JSON: %s", out)
	}
	return string(out)
}

func TestInitialize(t *testing.T) {
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "1.0": "2025-11-25", "": "2025-11-25",
	} {
		s := NewServer(testInfo, &shelf{}, Options{})
		got := handle(t, s, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+asked+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
		if !strings.Contains(got, `"result":{"protocolVersion":"`+want+`",`) {
			t.Errorf("%q is answered with %s, want %s", asked, got, want)
		}
	}
	t.Run("the answer names the server", func(t *testing.T) {
		s := NewServer(Info{Name: "db", Title: "The \"database\"", Version: "2", Instructions: "Ask\nfirst."}, &shelf{}, Options{})
		want := `{"jsonrpc":"2.0","id":"x","result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},` +
			`"serverInfo":{"name":"db","title":"The \"database\"","version":"2"},"instructions":"Ask\nfirst."}}`
		if got := handle(t, s, `{"jsonrpc":"2.0","id":"x","method":"initialize"}`); got != want {
			t.Errorf("answer = %s, want %s", got, want)
		}
	})
	t.Run("the hook learns who asks, each time", func(t *testing.T) {
		var seen []ClientInfo
		s := NewServer(testInfo, &shelf{}, Options{Initialize: func(c ClientInfo) { seen = append(seen, c) }})
		in := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"version":"2.1.33","name":"claude-code"},"protocolVersion":"2099-01-01"}}`
		if first, second := handle(t, s, in), handle(t, s, in); first != second {
			t.Errorf("the second handshake differs: %s, %s", first, second)
		}
		want := ClientInfo{"claude-code", "2.1.33", "2099-01-01"}
		if len(seen) != 2 || seen[0] != want || seen[1] != want {
			t.Errorf("the hook saw %v", seen)
		}
	})
	t.Run("client info may be null, and must not be a string", func(t *testing.T) {
		s := NewServer(testInfo, &shelf{}, Options{})
		if got := handle(t, s, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":null}}`); !strings.Contains(got, `"result"`) {
			t.Errorf("null: %s", got)
		}
		want := `{"jsonrpc":"2.0","id":0,"error":{"code":-32602,"message":"clientInfo must be an object: want a JSON object at byte 0, not '\"'"}}`
		if got := handle(t, s, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":"x"}}`); got != want {
			t.Errorf("a string: %s", got)
		}
	})
	t.Run("a hook that panics is an internal error", func(t *testing.T) {
		var told any
		s := NewServer(testInfo, &shelf{}, Options{
			Initialize: func(ClientInfo) { panic("oh") },
			Panic:      func(v any, stack []byte) { told = fmt.Sprint(v, " ", len(stack) > 0) },
		})
		got := handle(t, s, `{"jsonrpc":"2.0","id":0,"method":"initialize"}`)
		if !strings.Contains(got, `"code":-32603`) || told != "oh true" {
			t.Errorf("answer = %s, told %v", got, told)
		}
	})
}

func TestCallParams(t *testing.T) {
	for _, tt := range []struct{ name, params, want string }{
		{"all of it", `{"name":"remember","arguments":{"b": 1, "a":[9007199254740993]},"_meta":{"claudecode/toolUseId":"toolu_1","progressToken":2}}`,
			`remember {"b": 1, "a":[9007199254740993]} "toolu_1" 2`},
		{"a progress token may be a string, and keeps its bytes", `{"name":"remember","_meta":{"progressToken":"\u0061"}}`, `remember {} "" "\u0061"`},
		{"arguments missing are none", `{"name":"remember"}`, `remember {} "" `},
		{"arguments null are none", `{"name":"remember","arguments":null}`, `remember {} "" `},
		{"meta null is none", `{"_meta":null,"name":"remember"}`, `remember {} "" `},
		{"a progress token null is none", `{"name":"remember","_meta":{"progressToken":null,"x":{}}}`, `remember {} "" `},
		{"unknown members are passed over", `{"task":{"ttl":1},"name":"remember"}`, `remember {} "" `},
		{"keys may be escaped", `{"n\u0061me":"rememb\u0065r"}`, `remember {} "" `},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := &shelf{}
			got := handle(t, NewServer(testInfo, c, Options{}), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":`+tt.params+`}`)
			if c.last == nil {
				t.Fatalf("the tool was not called: %s", got)
			}
			if got := fmt.Sprintf("%s %s %q %s", c.last.Name, c.last.Arguments, c.last.ToolUseID, c.last.ProgressToken); got != tt.want {
				t.Errorf("params = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestAProgressTokenThatIsNoUTF8IsNotEchoed(t *testing.T) {
	// On the control channel, where a line may hold such bytes.
	req, _, bad := protocol.Decode([]byte(`{"id":1,"method":"tools/call","params":{"name":"echo","_meta":{"progressToken":"`+"\xff"+`"}}}`), true)
	if bad != nil {
		t.Fatal(bad)
	}
	res := NewServer(testInfo, &shelf{}, Options{}).Handle(t.Context(), req)
	if res.Error == nil || res.Error.Code != protocol.CodeInvalidParams || res.Error.Message != "progressToken is not valid UTF-8" {
		t.Errorf("error = %v", res.Error)
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct{ name, method, params, want string }{
		{"an unknown method", "tools/cal", `{}`, `{"code":-32601,"message":"method not found: tools/cal"}`},
		{"a method of 300 KB is cut", strings.Repeat("m", 300<<10), `{}`, `{"code":-32601,"message":"method not found: ` + strings.Repeat("m", 99) + `…"}`},
		{"a tool's name of 300 KB is cut", "tools/call", `{"name":"` + strings.Repeat("é", 150<<10) + `","arguments":[1]}`, `{"code":-32602,"message":"arguments of \"` + strings.Repeat("é", 99) + `…\" must be an object, not [1]"}`},
		{"resources are not offered", "resources/list", `{}`, `{"code":-32601,"message":"method not found: resources/list"}`},
		{"prompts are not offered", "prompts/get", `{}`, `{"code":-32601,"message":"method not found: prompts/get"}`},
		{"a call without params", "tools/call", `null`, `{"code":-32602,"message":"tools/call needs \"name\", the name of a tool from tools/list"}`},
		{"a call without name", "tools/call", `{"arguments":{}}`, `{"code":-32602,"message":"tools/call needs \"name\", the name of a tool from tools/list"}`},
		{"a name that is no string", "tools/call", `{"name":1}`, `{"code":-32602,"message":"tools/call needs \"name\", the name of a tool from tools/list"}`},
		{"params as an array", "tools/call", `["greet"]`, `{"code":-32602,"message":"params must be an object: want a JSON object at byte 0, not '['"}`},
		{"list params as an array", "tools/list", `[]`, `{"code":-32602,"message":"params must be an object: want a JSON object at byte 0, not '['"}`},
		{"arguments as an array", "tools/call", `{"name":"echo","arguments":[1]}`, `{"code":-32602,"message":"arguments of \"echo\" must be an object, not [1]"}`},
		{"arguments as text", "tools/call", `{"name":"echo","arguments":"{}"}`, `{"code":-32602,"message":"arguments of \"echo\" must be an object, not \"{}\""}`},
		{"a name twice", "tools/call", `{"name":"echo","name":"greet"}`, `{"code":-32602,"message":"\"name\" comes twice"}`},
		{"arguments twice, once escaped", "tools/call", `{"name":"echo","arguments":{},"argument\u0073":{}}`, `{"code":-32602,"message":"\"arguments\" comes twice"}`},
		{"meta that is no object", "tools/call", `{"name":"echo","_meta":7}`, `{"code":-32602,"message":"_meta must be an object: want a JSON object at byte 0, not '7'"}`},
		{"a progress token that is an object", "tools/call", `{"name":"echo","_meta":{"progressToken":{}}}`, `{"code":-32602,"message":"progressToken must be a string or a number, not {}"}`},
		{"a progress token twice", "tools/call", `{"name":"echo","_meta":{"progressToken":1,"progressToken":2}}`, `{"code":-32602,"message":"\"progressToken\" comes twice"}`},
		{"an unknown tool keeps the catalog's code", "tools/call", `{"name":"gone"}`, `{"code":-32602,"message":"unknown tool \"gone\""}`},
		{"a wrapped protocol error keeps code and data", "tools/call", `{"name":"refuse"}`, `{"code":-32001,"message":"closed","data":{"until":"noon"}}`},
		{"any other error is internal", "tools/call", `{"name":"internal"}`, `{"code":-32603,"message":"the disk is gone"}`},
		{"a panic is internal", "tools/call", `{"name":"break"}`, `{"code":-32603,"message":"internal error in tools/call: index out of range"}`},
		{"neither result nor error is internal", "tools/call", `{"name":"nothing"}`, `{"code":-32603,"message":"the tool gave neither a result nor an error"}`},
		{"a block that no client knows is internal", "tools/call", `{"name":"bad_block"}`, `{"code":-32603,"message":"the result cannot be sent: content 0: unknown type \"video\""}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := NewServer(testInfo, &shelf{list: toolList(t)}, Options{})
			got := handle(t, s, `{"jsonrpc":"2.0","id":1,"method":"`+tt.method+`","params":`+tt.params+`}`)
			if want := `{"jsonrpc":"2.0","id":1,"error":` + tt.want + `}`; got != want {
				t.Errorf("answer:\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestHandleAnswersNoNotification(t *testing.T) {
	c := &shelf{}
	s := NewServer(testInfo, c, Options{})
	for _, method := range []string{"notifications/initialized", "notifications/cancelled", "notifications/no/such", "tools/call", "ping"} {
		if got := handle(t, s, `{"jsonrpc":"2.0","method":"`+method+`","params":{"name":"remember"}}`); got != "" {
			t.Errorf("%s is answered: %s", method, got)
		}
	}
	if c.last != nil {
		t.Error("a tool was called by a notification")
	}
}

func TestACancelledCallIsSuchAnError(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the user pressed Esc"))
	s := NewServer(testInfo, &shelf{}, Options{})
	res := s.Handle(ctx, &protocol.Request{ID: []byte("1"), Method: "tools/call", Params: []byte(`{"name":"wait_error"}`)})
	if res.Error == nil || res.Error.Code != protocol.CodeCancelled || res.Error.Message != "cancelled: the user pressed Esc" {
		t.Errorf("answer = %+v", res.Error)
	}
}

func TestCancelledID(t *testing.T) {
	for _, tt := range []struct{ params, id, reason string }{
		{`{"requestId":0}`, "0", ""},
		{`{"reason":"too \"slow\"","requestId":"a"}`, `"a"`, `too "slow"`},
		{`{"requestId":9007199254740993}`, "9007199254740993", ""},
		{`{}`, "", ""},
		{`[]`, "", ""},
	} {
		if id, reason := CancelledID(&protocol.Request{Params: []byte(tt.params)}); id != tt.id || reason != tt.reason {
			t.Errorf("CancelledID(%s) = %s, %q; want %s, %q", tt.params, id, reason, tt.id, tt.reason)
		}
	}
}

func FuzzHandle(f *testing.F) {
	for _, params := range []string{
		`{}`, `null`, `[]`, `{"name":"echo","arguments":{"a":1}}`, `{"name":"echo","_meta":{"progressToken":"x"}}`, `{"cursor":"YWZ0ZXI6YQ"}`,
		`{"cursor":null}`, `{"protocolVersion":"2025-06-18","clientInfo":{"name":"x"}}`, `{"name":"gone","name":"echo"}`, `{"name":"bad_block"}`,
	} {
		for _, method := range []string{"initialize", "tools/list", "tools/call", "ping"} {
			f.Add(method, []byte(params))
		}
	}
	list := toolList(f, "a", "b", "c")
	f.Fuzz(func(t *testing.T, method string, params []byte) {
		if bytesContainWait(params) {
			return // a tool that ends only with its context
		}
		s := NewServer(testInfo, &shelf{list: list}, Options{PageSize: 2})
		line := protocol.AppendString([]byte(`{"jsonrpc":"2.0","id":1,"method":`), method)
		line = append(append(append(line, `,"params":`...), params...), '}')
		req, _, bad := protocol.Decode(line, false)
		if bad != nil || req == nil {
			return
		}
		ctx := WithNotifier(t.Context(), nowhere{})
		out, err := s.Handle(ctx, req).AppendJSON(nil)
		var answer struct {
			ID     json.Number
			Result map[string]json.RawMessage
			Error  *struct {
				Code    int
				Message string
			}
		}
		if err != nil || json.Unmarshal(out, &answer) != nil || answer.ID != "1" || (answer.Result == nil) == (answer.Error == nil) {
			t.Fatalf("%s is answered with %s, %v", line, out, err)
		}
	})
}

func bytesContainWait(params []byte) bool {
	call, fault := decodeCall(params)
	return fault == nil && strings.HasPrefix(call.Name, "wait")
}

type nowhere struct{}

func (nowhere) Notify(_ string, params protocol.Appender) error {
	_, err := params.AppendJSON(nil)
	return err
}

func BenchmarkCall(b *testing.B) {
	line := []byte(`{"method":"tools/call","params":{"name":"add","arguments":{"a":1234.5,"b":42},"_meta":{"claudecode/toolUseId":"toolu_01AbCdEfGhIjKlMnOpQr","progressToken":2}},"jsonrpc":"2.0","id":17}`)
	s := NewServer(testInfo, fixed{TextResult("1234.5 + 42 = 1276.5")}, Options{})
	req, _, _ := protocol.Decode(line, false)
	res := s.Handle(b.Context(), req)
	dst := make([]byte, 0, 1024)
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			protocol.Decode(line, false)
		}
	})
	b.Run("handle", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s.Handle(b.Context(), req)
		}
	})
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			dst, _ = res.AppendJSON(dst[:0])
		}
	})
	b.Run("whole", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			req, _, _ := protocol.Decode(line, false)
			dst, _ = s.Handle(b.Context(), req).AppendJSON(dst[:0])
		}
	})
}

// fixed is a Catalog of one result, so that a benchmark sees the protocol alone.
type fixed struct{ result *CallToolResult }

func (f fixed) ToolList() json.RawMessage { return json.RawMessage("[]") }
func (f fixed) CallTool(context.Context, *CallToolParams) (*CallToolResult, error) {
	return f.result, nil
}
