package protocol

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// callLine is an envelope of 300 bytes, as the CLI sends it for a call.
const callLine = `{"method":"tools/call","params":{"name":"greet","arguments":{"name":"Alice","greeting":"a greeting that is long enough to make this line three hundred bytes long, as they are in practice, or more"},"_meta":{"claudecode/toolUseId":"toolu_01AbCdEfGhIjKlMnOpQr","progressToken":2}},"jsonrpc":"2.0","id":17}`

// show writes what Decode says in one line.
func show(b []byte, lenient bool) string {
	req, answer, err := Decode(b, lenient)
	var out []byte
	switch {
	case err != nil:
		if err.Answer {
			out = append(out, "answer: "...)
		}
		out, _ = err.Response().AppendJSON(out)
	case answer != nil:
		out, _ = (&Response{ID: answer.ID, Result: Raw(answer.Result), Error: answer.Error}).AppendJSON(nil)
	default:
		out, _ = req.AppendJSON(nil)
	}
	return string(out)
}

func TestDecode(t *testing.T) {
	refused := func(id, why string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"invalid request: ` + why + `"}}`
	}
	for _, tt := range []struct{ name, in, want string }{
		{"a request keeps the bytes of its id: 0", `{"jsonrpc":"2.0","id":0,"method":"ping"}`, `{"jsonrpc":"2.0","id":0,"method":"ping"}`},
		{"a string id", `{"jsonrpc":"2.0","id":"a","method":"ping"}`, `{"jsonrpc":"2.0","id":"a","method":"ping"}`},
		{"a string id with escapes", `{"jsonrpc":"2.0","id":"\u0061\n","method":"ping"}`, `{"jsonrpc":"2.0","id":"\u0061\n","method":"ping"}`},
		{"an id beyond 2^53", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`},
		{"a fractional id", `{"jsonrpc":"2.0","id":1.50,"method":"ping"}`, `{"jsonrpc":"2.0","id":1.50,"method":"ping"}`},
		{"no id is a notification", `{"method":"notifications/initialized","jsonrpc":"2.0"}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`},
		{"params keep their bytes", `{"jsonrpc":"2.0","id":1,"method":"m","params": {"a" : 1e2} }`, `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a" : 1e2}}`},
		{"params may be an array", `{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}`, `{"jsonrpc":"2.0","id":1,"method":"m","params":[1]}`},
		{"params null count as missing", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`},
		{"keys and values may be escaped", `{"jsonrp\u0063":"2\u002e0","id":1,"method":"pin\u0067"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{"unknown members are passed over", `{"jsonrpc":"2.0","id":1,"method":"ping","x":{"id":2}}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`},

		{"a result is an answer", `{"jsonrpc":"2.0","id":"q1","result":{"a":1}}`, `{"jsonrpc":"2.0","id":"q1","result":{"a":1}}`},
		{"a result may be null", `{"jsonrpc":"2.0","id":1,"result":null}`, `{"jsonrpc":"2.0","id":1,"result":null}`},
		{"an error is an answer", `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":[1]}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no","data":[1]}}`},
		{"an error may answer nothing we know", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`},

		{"what is no JSON is a parse error", `hello`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the line is no JSON"}}`},
		{"half an object is a parse error", `{"jsonrpc":"2.0","id":1,"method":"ping"`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: want a comma or }, but the text ends after 39 bytes"}}`},
		{"broken params are a parse error, whatever stood before", `{"id":1,"params":{"a":[}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: want a value at byte 23, not '}'"}}`},
		{"a broken array is a parse error", `[{"jsonrpc":`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the line is no JSON"}}`},
		{"an empty line is a parse error", ``, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the line is no JSON"}}`},

		{"an id that is no UTF-8 is not echoed", `{"jsonrpc":"2.0","id":"` + "\xff" + `","method":"ping"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the line is not valid UTF-8 (byte 23)"}}`},
		{"nor is one of two", `{"jsonrpc":"2.0","id":1,"id":"` + "\xff" + `"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the line is not valid UTF-8 (byte 30)"}}`},
		{"nor that of a broken line", `{"jsonrpc":"2.0","id":1,"x":"` + "\xff", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the line is not valid UTF-8 (byte 29)"}}`},
		{"an answer that is no UTF-8 is not answered", `{"jsonrpc":"2.0","id":1,"result":"` + "\xff" + `"}`, `answer: {"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"parse error: the line is not valid UTF-8 (byte 34)"}}`},
		{"a line that is no UTF-8 elsewhere is refused under its id", `{"jsonrpc":"2.0","id":1,"method":"é` + "\xc3" + `"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":"parse error: the line is not valid UTF-8 (byte 36)"}}`},
		{"U+FFFD itself is UTF-8", `{"jsonrpc":"2.0","id":"\ufffd` + "\ufffd" + `","method":"ping"}`, `{"jsonrpc":"2.0","id":"\ufffd` + "\ufffd" + `","method":"ping"}`},
		{"arrays nested too deep", strings.Repeat("[", 20000), `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: nested deeper than 10000 levels"}}`},
		{"objects nested too deep", strings.Repeat(`{"a":`, 20000), `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: nested deeper than 10000 levels"}}`},
		{"params nested too deep", `{"id":1,"params":` + strings.Repeat(`["]{\"",{"b":`, 5000), `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: nested deeper than 10000 levels"}}`},
		{"arrays that break off at the limit", strings.Repeat("[", 10000), `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the line is no JSON"}}`},
		{"objects that break off at the limit", strings.Repeat(`{"a":`, 10000), `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: want a value, but the text ends after 50000 bytes"}}`},

		{"a batch is refused", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, refused("null", "batches are not supported; send one message a line")},
		{"an empty batch is refused", `[]`, refused("null", "batches are not supported; send one message a line")},
		{"a number is no message", `17`, refused("null", "a message is a JSON object")},
		{"no jsonrpc", `{"id":1,"method":"ping"}`, refused("1", `\"jsonrpc\" must be \"2.0\"`)},
		{"jsonrpc 1.0", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, refused("1", `\"jsonrpc\" must be \"2.0\"`)},
		{"jsonrpc as a number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, refused("1", `\"jsonrpc\" must be \"2.0\"`)},
		{"no method", `{"jsonrpc":"2.0","id":1}`, refused("1", `\"method\" is missing`)},
		{"a method that is no string", `{"jsonrpc":"2.0","id":1,"method":1}`, refused("1", `\"method\" must be a string`)},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, refused("null", `\"id\" must not be null; leave it out of a notification`)},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, refused("null", `\"id\" must be a string or a number`)},
		{"an id that is true", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, refused("null", `\"id\" must be a string or a number`)},
		{"params that are a string", `{"jsonrpc":"2.0","id":1,"method":"m","params":"x"}`, refused("1", `\"params\" must be an object or an array`)},
		{"a method twice", `{"jsonrpc":"2.0","method":"a","id":1,"method":"b"}`, refused("1", `\"method\" comes twice`)},
		{"params twice, once escaped", `{"jsonrpc":"2.0","params":{},"\u0070arams":{},"method":"b","id":1}`, refused("1", `\"params\" comes twice`)},
		{"an id twice names none", `{"jsonrpc":"2.0","id":1,"id":2,"method":"b"}`, refused("null", `\"id\" comes twice`)},
		{"a request and an answer in one", `{"jsonrpc":"2.0","id":1,"method":"b","result":{}}`, refused("1", "a message is a request or an answer, not both")},

		{"an answer without id is not answered", `{"jsonrpc":"2.0","result":{}}`, "answer: " + refused("null", `an answer needs the \"id\" of its request`)},
		{"an answer with result and error", `{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`, "answer: " + refused("1", "an answer has a result or an error, not both")},
		{"an error that is a string", `{"jsonrpc":"2.0","id":1,"error":"x"}`, "answer: " + refused("1", `\"error\" must be an object with a code and a message`)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := show([]byte(tt.in), false); got != tt.want {
				t.Errorf("Decode:\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestDecodeLenient(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"jsonrpc may be missing", `{"id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`},
		{"id null is echoed", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `{"jsonrpc":"2.0","id":null,"method":"ping"}`},
		{"an answer's error may be anything", `{"id":1,"result":null,"error":"x"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":""}}`},
		{"an id that is no UTF-8 is not echoed", `{"id":"` + "\xff" + `","method":"ping"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid request: \"id\" is not valid UTF-8"}}`},
		{"other text may be no UTF-8", `{"id":"é","method":"` + "\xff" + `"}`, `{"jsonrpc":"2.0","id":"é","method":"` + "\ufffd" + `"}`},
		{"members twice are still refused", `{"id":1,"method":"a","method":"b"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"invalid request: \"method\" comes twice"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := show([]byte(tt.in), true); got != tt.want {
				t.Errorf("Decode:\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestResponse(t *testing.T) {
	for _, tt := range []struct {
		name string
		res  Response
		want string
	}{
		{"no result is {}", Response{ID: []byte("1")}, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"no id is an acknowledgement", Response{}, `{"jsonrpc":"2.0","result":{}}`},
		{"an error wins", Response{ID: []byte(`"a"`), Result: Raw("1"), Error: Errorf(-32601, "no <%s>", "x")}, `{"jsonrpc":"2.0","id":"a","error":{"code":-32601,"message":"no <x>"}}`},
		{"an error carries its data", Response{ID: []byte("1"), Error: &Error{Code: 1, Message: "m", Data: []byte(`{"a":1}`)}}, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m","data":{"a":1}}}`},
		{"data that is no JSON stays here", Response{ID: []byte("1"), Error: &Error{Code: 1, Message: "m", Data: []byte(`{`)}}, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}`},
		{"a result that fails to encode is an error", Response{ID: []byte("1"), Result: failing{}}, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the result cannot be sent: no JSON for this"}}`},
		{"a result that panics is an error", Response{ID: []byte("1"), Result: panicking{}}, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the result cannot be sent: its encoder broke: oh"}}`},
		{"an empty result is an error", Response{ID: []byte("1"), Result: Raw(nil)}, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the result cannot be sent: it is empty"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.res.AppendJSON([]byte("x"))
			if err != nil || string(got) != "x"+tt.want {
				t.Errorf("AppendJSON:\n got %s, %v\nwant x%s", got, err, tt.want)
			}
		})
	}
}

type panicking struct{}

func (panicking) AppendJSON([]byte) ([]byte, error) { panic("oh") }

func TestRequestRefusesParamsThatBreakTheLine(t *testing.T) {
	for _, params := range []string{"", "1", "null", `{"a"`, `{} {}`} {
		if got, err := (&Request{Method: "m", Params: json.RawMessage(params)}).AppendJSON(nil); err == nil {
			t.Errorf("params %q were written: %s", params, got)
		}
	}
}

// slowDecode tells by encoding/json whether b is a request, with its id, method and params.
func slowDecode(b []byte) (id, params json.RawMessage, method string, ok bool) {
	d := json.NewDecoder(bytes.NewReader(b))
	if !json.Valid(b) || !utf8.Valid(b) {
		return nil, nil, "", false
	}
	if open, _ := d.Token(); open != json.Delim('{') {
		return nil, nil, "", false
	}
	members := map[string]json.RawMessage{}
	for d.More() {
		key, _ := d.Token()
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, nil, "", false
		}
		switch key {
		case "jsonrpc", "id", "method", "params", "result", "error":
			if members[key.(string)] != nil {
				return nil, nil, "", false
			}
			members[key.(string)] = value
		}
	}
	var version, m any
	json.Unmarshal(members["jsonrpc"], &version)
	json.Unmarshal(members["method"], &m)
	method, isString := m.(string)
	id, params = members["id"], members["params"]
	if string(params) == "null" {
		params = nil
	}
	ok = version == "2.0" && isString && members["result"] == nil && members["error"] == nil &&
		(id == nil || strings.ContainsRune(`"-0123456789`, rune(id[0]))) && (params == nil || params[0] == '{' || params[0] == '[')
	return id, params, method, ok
}

func FuzzDecode(f *testing.F) {
	for _, d := range documents {
		f.Add([]byte(d))
	}
	f.Add([]byte(callLine))
	for _, line := range traceLines(f) {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		req, answer, err := Decode(in, false)
		if n := btoi(req != nil) + btoi(answer != nil) + btoi(err != nil); n != 1 {
			t.Fatalf("%d results", n)
		}
		id, params, method, ok := slowDecode(in)
		if ok != (req != nil) {
			t.Fatalf("Decode(%q) = %v, %v, %v; a request: %v", in, req, answer, err, ok)
		}
		if ok && (req.Method != method || !bytes.Equal(req.ID, id) || !bytes.Equal(req.Params, params)) {
			t.Fatalf("Decode(%q) = %+v; want id %s, method %q, params %s", in, req, id, method, params)
		}
		if err != nil {
			if out, encErr := err.Response().AppendJSON(nil); encErr != nil || !json.Valid(out) || !utf8.Valid(out) {
				t.Fatalf("the answer to %q is %q, %v", in, out, encErr)
			}
			if (err.Err.Code == CodeParse) == (json.Valid(in) && utf8.Valid(in)) {
				t.Fatalf("Decode(%q) = %d", in, err.Err.Code)
			}
		}
		if req != nil {
			out, _ := req.AppendJSON(nil)
			again, _, err := Decode(out, false)
			if err != nil || again.Method != req.Method || !bytes.Equal(again.ID, req.ID) || !bytes.Equal(again.Params, req.Params) {
				t.Fatalf("%q became %q: %v", in, out, err)
			}
		}
		if _, _, err := Decode(in, true); err != nil {
			if out, _ := err.Response().AppendJSON(nil); !json.Valid(out) || !utf8.Valid(out) {
				t.Fatalf("the lenient answer to %q is %q", in, out)
			}
		}
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestBrief(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"100 characters stand", strings.Repeat("é", 100), strings.Repeat("é", 100)},
		{"101 are cut to 100", strings.Repeat("é", 101), strings.Repeat("é", 99) + "…"},
		{"nothing stays nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Brief(tt.in); got != tt.want {
				t.Errorf("Brief = %q, want %q", got, tt.want)
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	line := []byte(callLine)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if req, _, _ := Decode(line, false); req == nil {
			b.Fatal("refused")
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	res := &Response{ID: []byte("17"), Result: Raw(`{"content":[{"type":"text","text":"Hello, Alice! Welcome."}]}`)}
	dst := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		dst, _ = res.AppendJSON(dst[:0])
	}
}
