package luajson

import (
	"errors"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

func TestDecodeThenAppend(t *testing.T) {
	for _, tt := range []struct{ name, in, out string }{
		{"an object keeps the order of its members", `{"z":1,"a":2,"m":3}`, `{"z":1,"a":2,"m":3}`},
		{"an empty list stays a list", `{"a":[]}`, `{"a":[]}`},
		{"an empty object stays an object", `{"a":{}}`, `{"a":{}}`},
		{"an object of nulls alone stays an object", `{"a":{"b":null}}`, `{"a":{}}`},
		{"null in a list stays", `[null,1,null]`, `[null,1,null]`},
		{"a list of null alone stays", `[null]`, `[null]`},
		{"a null member is left out", `{"a":null,"b":1}`, `{"b":1}`},
		{"null itself is null", `null`, `null`},
		{"an integer of 2^53 is a number", `9007199254740992`, `9007199254740992`},
		{"an integer beyond 2^53 keeps its digits", `9007199254740993`, `9007199254740993`},
		{"a negative one does too", `[-9007199254740993]`, `[-9007199254740993]`},
		{"an integer of 30 digits keeps them", `123456789012345678901234567890`, `123456789012345678901234567890`},
		{"a fraction stays", `[0.1,-2.5,1e-7,1.5e300]`, `[0.1,-2.5,1e-7,1.5e+300]`},
		{"an integer is written without a point", `[1.0,2e3,1e20]`, `[1,2000,100000000000000000000]`},
		{"from 1e21 on there is an exponent", `[1e21]`, `[1e+21]`},
		{"minus zero keeps its sign", `[-0,-0.0]`, `[-0,-0]`},
		{"letters beyond ASCII stay", `"Grüße 😀 23 °C"`, `"Grüße 😀 23 °C"`},
		{"escapes are read", `"\u00e9\ud83d\ude00\n\t\"\\\/\b\f\r"`, `"é😀\n\t\"\\/\b\f\r"`},
		{"a lone surrogate is replaced", `"\ud800x\udc00"`, `"` + "\ufffdx\ufffd" + `"`},
		{"a surrogate before another letter is replaced alone", `"\ud800\u0041"`, `"` + "\ufffdA" + `"`},
		{"NUL survives", `"a\u0000b"`, `"a\u0000b"`},
		{"space around everything is skipped", " {\t\"a\" :\n[ 1 ,\r2 ] } ", `{"a":[1,2]}`},
		{"booleans", `[true,false]`, `[true,false]`},
		{"a large object keeps its order", manyMembers(40), manyMembers(40)},
		{"the longest fraction keeps its value", `0.1000000000000000055511151231257827`, `0.1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := Decode([]byte(tt.in), DecodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			out, err := Append(nil, v, EncodeOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != tt.out {
				t.Errorf("got %s, want %s", out, tt.out)
			}
		})
	}
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(`,"` + strings.Repeat("k", i+1) + `":1`)
	}
	return "{" + b.String()[1:] + "}"
}

func TestDecodeRefuses(t *testing.T) {
	few := Limits{Depth: 3, Nodes: 5, Bytes: 40}
	for _, tt := range []struct {
		name, in string
		limits   Limits
		want     string
	}{
		{"nothing", ``, Limits{}, "at byte 0: the text ends too early: want a value"},
		{"two values", `1 2`, Limits{}, "at byte 2: want the end of the text"},
		{"a member twice", `{"a":1,"b":2,"a":3}`, Limits{}, "at byte 13: the member 'a' comes twice"},
		{"a member twice, once null", `{"a":null,"a":1}`, Limits{}, "at byte 10: the member 'a' comes twice"},
		{"a member twice, spelt differently", `{"a":1,"\u0061":1}`, Limits{}, "at byte 7: the member 'a' comes twice"},
		{"a member twice in a large object", manyMembers(30)[:len(manyMembers(30))-1] + `,"kkk":2}`, Limits{}, "has the member 'kkk' twice"},
		{"a null member twice in a large object", manyMembers(30)[:len(manyMembers(30))-1] + `,"x":null,"x":null}`, Limits{}, "has the member 'x' twice"},
		{"a null member beside a value in a large object", manyMembers(30)[:len(manyMembers(30))-1] + `,"k":null}`, Limits{}, "has the member 'k' twice"},
		{"a comma too many", `[1,]`, Limits{}, "at byte 3: want a value"},
		{"a comma too many in an object", `{"a":1,}`, Limits{}, "at byte 7: want a member's name"},
		{"no comma", `[1 2]`, Limits{}, "at byte 3: want a comma or ]"},
		{"no colon", `{"a" 1}`, Limits{}, "at byte 5: want a colon"},
		{"a name without quotes", `{a:1}`, Limits{}, "at byte 1: want a member's name"},
		{"an open string", `"abc`, Limits{}, "the text ends too early: want the end of a string"},
		{"an open string behind a backslash", `"abc\`, Limits{}, "want the end of a string"},
		{"an unknown escape", `"\x41"`, Limits{}, "at byte 2: no such escape"},
		{"three hexadecimal digits", `"\u12g4"`, Limits{}, "want four hexadecimal digits"},
		{"a newline in a string", "\"a\nb\"", Limits{}, "at byte 2: a control character"},
		{"a newline behind an escape", "\"\\ta\nb\"", Limits{}, "at byte 4: a control character"},
		{"invalid UTF-8", "\"a\xff\"", Limits{}, "at byte 2: this is no valid UTF-8"},
		{"a leading zero", `01`, Limits{}, "must not begin with 0"},
		{"a plus", `+1`, Limits{}, "want a value"},
		{"a bare minus", `-`, Limits{}, "want a value"},
		{"a point without digits", `1.`, Limits{}, "want a digit behind the point"},
		{"an exponent without digits", `1e+`, Limits{}, "want a digit in the exponent"},
		{"an exponent beyond 400", `1e401`, Limits{}, "an exponent beyond 400"},
		{"an exponent beyond 400 below zero", `1e-99999999999999999999`, Limits{}, "an exponent beyond 400"},
		{"a number beyond a float", `1e309`, Limits{}, "the number 1e309 is too large"},
		{"NaN", `NaN`, Limits{}, "want a value"},
		{"a string that is too long", `["abcd","abcde"]`, Limits{String: 4}, "at byte 8: a string of 5 bytes, more than the 4 that one string may have"},
		{"one with escapes too", `"\tabcd"`, Limits{String: 4}, "a string of 5 bytes"},
		{"a name too", `{"abcde":1}`, Limits{String: 4}, "a string of 5 bytes"},
		{"half a word", `nul`, Limits{}, "want a value"},
		{"deeper than the limit", `[[[[1]]]]`, few, "at byte 3: nested deeper than 3 levels"},
		{"more values than the limit", `[1,2,3,4,5]`, few, "at byte 9: more than 5 values"},
		{"longer than the limit", `"` + strings.Repeat("a", 40) + `"`, few, "the text has 42 bytes, more than 40"},
		{"deeper than the default", strings.Repeat("[", 101), Limits{}, "nested deeper than 100 levels"},
		{"an open list", `[1`, Limits{}, "want a comma or ]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := Decode([]byte(tt.in), DecodeOptions{Limits: tt.limits})
			var syntax *SyntaxError
			if !errors.As(err, &syntax) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v; want %q", v, err, tt.want)
			}
		})
	}
}

func TestNullsBelowTheOutermostObjectAreKeptForArguments(t *testing.T) {
	v, err := Decode([]byte(`{"a":null,"b":{"c":null},"d":[{"e":null}]}`), DecodeOptions{Nulls: NullsBelow})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Append(nil, v, EncodeOptions{})
	if want := `{"b":{"c":null},"d":[{"e":null}]}`; err != nil || string(got) != want {
		t.Errorf("decoded and encoded: %s, %v; want %s", got, err, want)
	}
}

func TestNullsAreKeptOnRequest(t *testing.T) {
	v, err := Decode([]byte(`{"a":null}`), DecodeOptions{Nulls: NullsKept})
	if err != nil || v.(*lua.LTable).RawGetString("a") != lua.LValue(Null) {
		t.Errorf("got %v, %v", v, err)
	}
	if v, err := Decode([]byte(`null`), DecodeOptions{Nulls: NullsKept}); err != nil || v != lua.LValue(Null) {
		t.Errorf("got %v, %v", v, err)
	}
	if v, err := Decode([]byte(`null`), DecodeOptions{}); err != nil || v != lua.LNil {
		t.Errorf("got %v, %v", v, err)
	}
}

func TestDecodeTellsWhatItMakes(t *testing.T) {
	total := 0
	if _, err := Decode([]byte(`[[],[],{"a":"\n"}]`), DecodeOptions{Charge: func(n int) { total += n }}); err != nil {
		t.Fatal(err)
	}
	if want := 18 + 4*tableBytes + 3*elementBytes + memberBytes + 1; total != want {
		t.Errorf("charged %d bytes, want %d", total, want)
	}
}

// A decoder that saw an error must not leak its half-read values into the next text.
func TestDecodeAfterAnError(t *testing.T) {
	for range 100 {
		if _, err := Decode([]byte(`{"a":[1,2,{"b":`), DecodeOptions{}); err == nil {
			t.Fatal("half an object was accepted")
		}
		v, err := Decode([]byte(`{"x":[1]}`), DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if out, _ := Append(nil, v, EncodeOptions{}); string(out) != `{"x":[1]}` {
			t.Fatalf("got %s", out)
		}
	}
}
