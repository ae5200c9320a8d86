package luajson

import (
	"bytes"
	"encoding/json"
	"io"
	"math/big"
	"os"
	"reflect"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// FuzzConvert decodes any bytes and encodes them again. What Decode takes, encoding/json takes, and both see the same value;
// what comes out means the same as what went in; and from then on nothing changes any more.
func FuzzConvert(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5,-0,null,true,{"b":{}}],"c":"\u00e9\ud83d\ude00","d":[]}`, `[9007199254740993,1e20,1e21,1e-7,123456789012345678901234567890]`,
		`{"name":"Alice"}`, `"\ud800"`, `{"a":1,"a":2}`, `1e309`, `[[[[[[]]]]]]`, `{"":{"":""}}`, " [ 1 , 2 ] ", `-0.0`, `nul`, "\"\xff\"",
		`{"location":"Bern","units":"celsius","_meta":{"progressToken":2}}`, `{"k":null}`, `1E+2`, `0.1e-400`,
	} {
		f.Add([]byte(seed))
	}
	for _, line := range traceLines(f) {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := Decode(b, DecodeOptions{Nulls: NullsKept, Limits: Limits{Depth: 50, Nodes: 10_000, Bytes: 1 << 16}})
		if err != nil {
			if want := err.Error(); want == "" {
				t.Fatal("an error without words")
			}
			return
		}
		want := standard(t, b, exactNumber)
		if got := plain(v); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: got %#v, encoding/json %#v", b, got, want)
		}
		once, err := Append(nil, v, EncodeOptions{})
		if err != nil {
			t.Fatalf("%q: %v", b, err)
		}
		// As floats, since a float above 2^53 is written as encoding/json does, in the fewest digits that name it.
		if !reflect.DeepEqual(standard(t, once, float), standard(t, b, float)) {
			t.Fatalf("%q became %q", b, once)
		}
		again, err := Decode(once, DecodeOptions{Nulls: NullsKept})
		if err != nil {
			t.Fatalf("%q: %v", once, err)
		}
		twice, err := Append(nil, again, EncodeOptions{})
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q became %q, %v", once, twice, err)
		}
		indented, err := Append(nil, v, EncodeOptions{Indent: "\t"})
		var compact bytes.Buffer
		if err != nil || json.Compact(&compact, indented) != nil || !bytes.Equal(compact.Bytes(), once) {
			t.Fatalf("%q indented: %q, %v", once, indented, err)
		}
	})
}

// traceLines are the lines of a captured conversation, both ways.
func traceLines(tb testing.TB) (lines [][]byte) {
	b, err := os.ReadFile("../../host/testdata/greet_2_1_33.trace")
	if err != nil {
		tb.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		if kind, line, ok := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(" ")); ok && (kind[0] == '<' || kind[0] == '>') {
			lines = append(lines, line)
		}
	}
	return lines
}

// standard reads b with encoding/json.
func standard(t *testing.T, b []byte, number func(string) any) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%q: Decode takes it, encoding/json says %v", b, err)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("%q: Decode takes it, encoding/json finds more", b)
	}
	return numbers(v, number)
}

func numbers(v any, number func(string) any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			v[k] = numbers(x, number)
		}
	case []any:
		for i, x := range v {
			v[i] = numbers(x, number)
		}
	case json.Number:
		return number(string(v))
	}
	return v
}

func float(text string) any {
	f, _ := json.Number(text).Float64()
	return f
}

// exactNumber keeps the digits of an integer beyond 2^53.
func exactNumber(text string) any {
	if n, ok := new(big.Int).SetString(text, 10); ok && n.CmpAbs(big.NewInt(1<<53)) > 0 {
		return n.String()
	}
	return float(text)
}

func plain(v lua.LValue) any {
	switch v := v.(type) {
	case lua.LBool:
		return bool(v)
	case lua.LNumber:
		return float64(v)
	case lua.LString:
		return string(v)
	case *lua.LUserData:
		if v == Null {
			return nil
		}
		text, _ := Digits(v)
		return text
	case *lua.LTable:
		if v.Metatable == arrayMark {
			list := []any{}
			for i := 1; i <= v.Len(); i++ {
				list = append(list, plain(v.RawGetInt(i)))
			}
			return list
		}
		object := map[string]any{}
		v.ForEach(func(k, x lua.LValue) { object[k.String()] = plain(x) })
		return object
	}
	return v
}

// What encoding/json takes, Decode takes too, with the exceptions it names.
func FuzzAgreement(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.5,null]}`, `"x"`, `[1e5]`, `"\ud800"`, ` 1 `, `{}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var v any
		if !json.Valid(b) || json.Unmarshal(b, &v) != nil {
			if _, err := Decode(b, DecodeOptions{}); err == nil && !json.Valid(b) {
				t.Fatalf("%q: Decode takes what is no JSON", b)
			}
			return
		}
		_, err := Decode(b, DecodeOptions{Limits: Limits{Depth: 1 << 20}})
		if err == nil {
			return
		}
		for _, reason := range []string{"no valid UTF-8", "twice", "an exponent beyond"} {
			if bytes.Contains([]byte(err.Error()), []byte(reason)) {
				return
			}
		}
		t.Fatalf("%q: %v", b, err)
	})
}
