package protocol

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	type pair struct{ key, value string }
	for _, tt := range []struct {
		name, in string
		want     []pair
	}{
		{"an empty object has none", " { } ", nil},
		{"they come in order, values without space", ` {"b" : 1 , "a": [ 1, {} ] } `, []pair{{"b", "1"}, {"a", "[ 1, {} ]"}}},
		{"a key is unescaped", `{"\u006eame":"x","é\n":null}`, []pair{{"name", `"x"`}, {"é\n", "null"}}},
		{"a key that comes twice is shown twice", `{"a":1,"a":2}`, []pair{{"a", "1"}, {"a", "2"}}},
		{"values keep their bytes", `{"a":9007199254740993,"b":"\u0041","c":1.0e+5}`, []pair{{"a", "9007199254740993"}, {"b", `"\u0041"`}, {"c", "1.0e+5"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []pair
			err := Members([]byte(tt.in), func(k, v []byte) bool {
				got = append(got, pair{string(k), string(v)})
				return true
			})
			if err != nil || !reflect.DeepEqual(got, tt.want) {
				t.Errorf("Members = %v, %v; want %v", got, err, tt.want)
			}
		})
	}
}

func TestMembersErrors(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"an array is no object", `[1]`, "want a JSON object at byte 0, not '['"},
		{"nothing is no object", ``, "want a JSON object, but the text ends after 0 bytes"},
		{"a bad nested value is found", `{"a":[1,{"b":tru}]}`, "want a value at byte 16, not '}'"},
		{"a text that ends early says so", `{"a":[1,`, "want a value, but the text ends after 8 bytes"},
		{"a missing colon", `{"a" 1}`, "want a colon at byte 5, not '1'"},
		{"a comma too many", `{"a":1,}`, "want a member's name at byte 7, not '}'"},
		{"a comma too few", `{"a":1 "b":2}`, "want a comma or } at byte 7, not '\"'"},
		{"something behind the object", `{} {}`, "want the end at byte 3, not '{'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := Members([]byte(tt.in), func(_, _ []byte) bool { return true })
			if err == nil || err.Error() != tt.want {
				t.Errorf("error = %v, want %s", err, tt.want)
			}
		})
	}
	if err := Members([]byte(`{"a":1,"b":oops`), func(k, _ []byte) bool { return false }); err != nil {
		t.Errorf("the rest after a false return was checked: %v", err)
	}
}

func TestElements(t *testing.T) {
	for in, want := range map[string]string{`[]`: "", ` [ ] `: "", `[1, "a,b" ,[2],{"c":[]} ]`: `1|"a,b"|[2]|{"c":[]}|`} {
		var got strings.Builder
		if err := Elements([]byte(in), func(v []byte) bool { got.Write(v); got.WriteByte('|'); return true }); err != nil || got.String() != want {
			t.Errorf("Elements(%s) = %s, %v; want %s", in, got.String(), err, want)
		}
	}
	for _, in := range []string{``, `{}`, `[`, `[1`, `[1,`, `[1,]`, `[1 2]`, `[] 1`, `[x]`, `[1`, `[1 `, `[]]`} {
		if err := Elements([]byte(in), func([]byte) bool { return true }); err == nil {
			t.Errorf("Elements(%s) has no error", in)
		}
	}
}

// documents are shapes that the walk must judge as encoding/json does; the fuzz targets start from them.
var documents = []string{
	``, ` `, `{}`, `[]`, `null`, `true`, `false`, `nul`, `truex`, `"a"`, `"`, `"\"`, `"\u12"`, `"\u12G4"`, `"\x"`, "\"\x01\"", "\"\xff\"", "\"\x7f\"",
	`0`, `-0`, `-`, `01`, `1.`, `.1`, `1.5e`, `1e+`, `1E-07`, `-1.25e+10`, `+1`, `0x1`, `9007199254740993`,
	`{"a":{"b":[1,2,{"c":null}]},"d":"\ud83d\ude00"}`, `{"a":1,}`, `{"a"}`, `{a:1}`, `{"a":1}}`, `[1,2`, `[,]`, `[1,,2]`, `{"a":[}`, `[{]}`,
	" \t\r\n[ 1 , \"x\" ]\n", "\v[]", "[1]\x00", "\ufeff{}",
	`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Alice"},"_meta":{"claudecode/toolUseId":"toolu_1","progressToken":2}}}`,
	`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"claude-code","version":"2.1.33"}}}`,
	`{"method":"notifications/initialized","jsonrpc":"2.0"}`,
	`{"jsonrpc":"2.0","id":"a","result":{}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x","data":[1]}}`,
	`{"id":1,"id":2,"jsonrpc":"2.0","method":"ping"}`, `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
}

func TestDepth(t *testing.T) {
	for _, tt := range []struct {
		name        string
		open, close string
		depth       int
		want        bool
	}{
		{"10,000 arrays are the limit", "[", "]", 10000, true},
		{"10,001 are too many", "[", "]", 10001, false},
		{"objects count too", `{"a":[`, "]}", 5000, true},
		{"mixed, one too many", `{"a":[`, "]}", 5001, false},
		{"a level left open is found", "[[", "]", 100, false},
		{"64 levels, where the walk calls itself", "[", "]", 65, true},
		{"brackets must match at every depth", `[{"a":`, "]}", 33, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in := strings.Repeat(tt.open, tt.depth) + "1" + strings.Repeat(tt.close, tt.depth)
			if got := Valid([]byte(in)); got != tt.want || got != json.Valid([]byte(in)) {
				t.Errorf("Valid = %v, want %v; encoding/json says %v", got, tt.want, json.Valid([]byte(in)))
			}
		})
	}
	deep := []byte(`{"a":` + strings.Repeat("[", 9999) + strings.Repeat("]", 9999) + `}`)
	if n := testing.AllocsPerRun(10, func() { Valid(deep) }); n != 0 {
		t.Errorf("a deep value costs %v allocations", n)
	}
	if !Valid(deep) {
		t.Error("an object around 9,999 arrays is refused")
	}
}

func FuzzMembers(f *testing.F) {
	for _, d := range documents {
		f.Add([]byte(d))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if got, want := Valid(in), json.Valid(in); got != want {
			t.Fatalf("Valid(%q) = %v, encoding/json says %v", in, got, want)
		}
		members := map[string]json.RawMessage{}
		err := Members(in, func(k, v []byte) bool {
			members[string(k)] = v
			return true
		})
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal(in, &want)
		isObject := wantErr == nil && want != nil
		if (err == nil) != isObject || IsObject(in) != isObject {
			t.Fatalf("Members(%q): %v, IsObject %v; encoding/json: %v, %v", in, err, IsObject(in), want, wantErr)
		}
		if isObject && !sameRaw(members, want) {
			t.Fatalf("Members(%q) = %q, encoding/json: %q", in, members, want)
		}
		var list []json.RawMessage
		err = Elements(in, func(v []byte) bool {
			list = append(list, v)
			return true
		})
		var wantList []json.RawMessage
		wantErr = json.Unmarshal(in, &wantList)
		if isArray := wantErr == nil && wantList != nil; (err == nil) != isArray || isArray && len(list) != len(wantList) {
			t.Fatalf("Elements(%q) = %q, %v; encoding/json: %q, %v", in, list, err, wantList, wantErr)
		}
		for i := range list {
			if err == nil && !bytes.Equal(list[i], wantList[i]) {
				t.Fatalf("element %d = %q, encoding/json: %q", i, list[i], wantList[i])
			}
		}
	})
}

func sameRaw(a, b map[string]json.RawMessage) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if w, ok := b[k]; !ok || !bytes.Equal(v, w) {
			return false
		}
	}
	return true
}

func TestUnquote(t *testing.T) {
	for raw, want := range map[string]string{
		`""`: "", `"a"`: "a", `"é"`: "é", `"\u00E9\n\t\"\\\/\b\f\r"`: "é\n\t\"\\/\b\f\r", `"\ud83d\ude00"`: "😀",
		`"\ud83d"`: "\ufffd", `"\ud83dA"`: "\ufffdA", `"\ud83d\u0041"`: "\ufffdA", `"\ude00\ud83d"`: "\ufffd\ufffd", "\"\xff\"": "\ufffd",
	} {
		if got, ok := Unquote([]byte(raw)); !ok || got != want {
			t.Errorf("Unquote(%s) = %q, %v; want %q", raw, got, ok, want)
		}
	}
	for _, raw := range []string{``, `a`, `1`, `null`, `"`, `"a`, `"a" `, ` "a"`, `"a"b"`, "\"\n\"", `"\u00e"`, `"\q"`} {
		if got, ok := Unquote([]byte(raw)); ok {
			t.Errorf("Unquote(%s) = %q, want none", raw, got)
		}
	}
}

// slowString is what encoding/json writes for s without HTML escaping.
func slowString(t *testing.T, s string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestAppendString(t *testing.T) {
	for in, want := range map[string]string{
		"":                     `""`,
		"<a href='x'>&</a>":    `"<a href='x'>&</a>"`,
		"quote \" slash \\ /":  `"quote \" slash \\ /"`,
		"\x00\b\f\n\r\t\x1f":   `"\u0000\b\f\n\r\t\u001f"`,
		"line\u2028sep\u2029":  `"line\u2028sep\u2029"`,
		"bad \xff\xc3 end\xe2": `"bad \ufffd\ufffd end\ufffd"`,
		"grüß 日本 😀 \x7f":       `"grüß 日本 😀 ` + "\x7f" + `"`,
	} {
		if got := string(AppendString([]byte("x"), in)); got != "x"+want {
			t.Errorf("AppendString(%q) = %s, want %s", in, got, want)
		}
	}
}

func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "1234567\"", "12345678\n", "é", "\xff", "\u2028", "12345678é12345678\\", "\ud7ff\ue000", "a\x00b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := AppendString(nil, s)
		if want := slowString(t, s); string(got) != want {
			t.Fatalf("AppendString(%q) = %s, encoding/json: %s", s, got, want)
		}
		if b := AppendString(nil, []byte(s)); !bytes.Equal(got, b) {
			t.Fatalf("of bytes %s, of a string %s", b, got)
		}
		back, ok := Unquote(got)
		if want := strings.ToValidUTF8(s, "\ufffd"); !ok || strings.Count(s, "") == strings.Count(want, "") && back != want {
			t.Fatalf("Unquote(%s) = %q, %v; want %q", got, back, ok, want)
		}
	})
}

func FuzzUnquote(f *testing.F) {
	for _, s := range []string{`"a"`, `"\ud83d\ude00"`, `"\ud83d\u0041"`, "\"\xff\"", `"\/\b"`, `"`, `1`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, ok := Unquote(raw)
		var want any
		err := json.Unmarshal(raw, &want)
		text, isString := want.(string)
		if wantOK := err == nil && isString && len(bytes.TrimSpace(raw)) == len(raw); ok != wantOK || ok && got != text {
			t.Fatalf("Unquote(%q) = %q, %v; encoding/json: %v, %v", raw, got, ok, want, err)
		}
	})
}

func BenchmarkValid(b *testing.B) {
	text := strings.Repeat("some words of a text, ", 3000)
	big := `{"records":[` + strings.Repeat(`{"id":12345,"name":"Jane \"J\" Doe","tags":["a","b"],"note":null},`, 1000) + `{}]}`
	for name, in := range map[string]string{"envelope": callLine, "64KB_text": `{"text":"` + text + `"}`, "64KB_records": big} {
		b.Run(name, func(b *testing.B) {
			in := []byte(in)
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				if !Valid(in) {
					b.Fatal("invalid")
				}
			}
		})
	}
}

func BenchmarkAppendString(b *testing.B) {
	for name, in := range map[string]string{"short": "Hello, Alice! Welcome.", "64KB": strings.Repeat("some words of a text, ", 3000), "64KB_escapes": strings.Repeat("a line\n", 9400)} {
		b.Run(name, func(b *testing.B) {
			dst := make([]byte, 0, 1<<18)
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				dst = AppendString(dst[:0], in)
			}
		})
	}
}
