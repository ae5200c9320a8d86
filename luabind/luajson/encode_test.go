package luajson

import (
	"errors"
	"math"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"
)

// eval runs a chunk with the package's values as globals and returns what it returns.
func eval(t testing.TB, source string) (lua.LValue, error) {
	t.Helper()
	L := lua.NewState()
	t.Cleanup(L.Close)
	L.SetGlobal("null", Null)
	marking := func(mark func(*lua.LTable)) *lua.LFunction {
		return L.NewFunction(func(L *lua.LState) int {
			t := L.CheckTable(1)
			mark(t)
			L.Push(t)
			return 1
		})
	}
	L.SetGlobal("array", marking(MarkArray))
	L.SetGlobal("object", marking(MarkObject))
	L.SetGlobal("integer", L.NewFunction(func(L *lua.LState) int {
		v, ok := Integer(L.CheckString(1))
		if !ok {
			v = lua.LNil
		}
		L.Push(v)
		return 1
	}))
	if err := L.DoString(source); err != nil {
		return nil, err
	}
	return L.Get(-1), nil
}

func mustEval(t testing.TB, source string) lua.LValue {
	t.Helper()
	v, err := eval(t, source)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAppend(t *testing.T) {
	shape := CompileShape([]byte(`{"type":"object","properties":{"o":{"type":"object","additionalProperties":{"type":"object"}},
		"l":{"type":["array","null"],"items":{"type":"object"}},"any":{"type":["object","array"]},"yes":true,"never":false}}`))
	for _, tt := range []struct {
		name, source string
		o            EncodeOptions
		want         string
	}{
		{"an unmarked empty table is a list", `return {}`, EncodeOptions{}, `[]`},
		{"a marked one is an object", `return { a = object{}, b = array{} }`, EncodeOptions{}, `{"a":{},"b":[]}`},
		{"a schema decides for unmarked ones", `return { o = {}, l = {}, any = {}, yes = {}, never = {}, other = {} }`, EncodeOptions{Shape: shape},
			`{"o":{},"l":[],"any":[],"yes":[],"never":[],"other":[]}`},
		{"also inside lists and maps", `return { o = { x = {} }, l = { {} } }`, EncodeOptions{Shape: shape}, `{"o":{"x":{}},"l":[{}]}`},
		{"and for the whole", `return {}`, EncodeOptions{Shape: shape}, `{}`},
		{"a mark beats the schema", `return { o = array{} }`, EncodeOptions{Shape: shape}, `{"o":[]}`},
		{"keys stand in the order they were set", `local t = {} t.b = 1 t.a = 2 t[1] = nil return t`, EncodeOptions{}, `{"b":1,"a":2}`},
		{"a removed key is gone", `local t = { a = 1, b = 2 } t.a = nil return t`, EncodeOptions{}, `{"b":2}`},
		{"nil at the end of a list is nothing", `return { 1, 2, nil }`, EncodeOptions{}, `[1,2]`},
		{"null in a list", `return { null, 1 }`, EncodeOptions{}, `[null,1]`},
		{"a value may stand at two places", `local t = { 1 } return { t, t }`, EncodeOptions{}, `[[1],[1]]`},
		{"invalid UTF-8 is repaired", `return { "a\255b", ["k\255"] = 1 }`, EncodeOptions{}, ``},
		{"metamethods are not called", `return setmetatable({ a = 1 }, { __index = error, __len = error, __tostring = error, __pairs = error })`, EncodeOptions{}, `{"a":1}`},
		{"nil alone is null", `return nil`, EncodeOptions{}, `null`},
		{"integers beyond 2^53", `return { integer("18446744073709551615"), 2^53 }`, EncodeOptions{}, `[18446744073709551615,9007199254740992]`},
		{"for people, one line an element", `return { a = { 1, { b = 2 } }, c = {}, d = object{}, e = array{} }`, EncodeOptions{Indent: "  "},
			"{\n  \"a\": [\n    1,\n    {\n      \"b\": 2\n    }\n  ],\n  \"c\": [],\n  \"d\": {},\n  \"e\": []\n}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.want == "" { // the mixed table of the UTF-8 case, in two halves
				for source, want := range map[string]string{`return { "a\255b" }`: `["a\ufffdb"]`, `return { ["k\255"] = 1 }`: `{"k\ufffd":1}`} {
					if out, err := Append(nil, mustEval(t, source), tt.o); err != nil || string(out) != want {
						t.Errorf("got %s, %v; want %s", out, err, want)
					}
				}
				return
			}
			out, err := Append([]byte("before "), mustEval(t, tt.source), tt.o)
			if err != nil {
				t.Fatal(err)
			}
			if string(out) != "before "+tt.want {
				t.Errorf("got %s, want %s", out, tt.want)
			}
		})
	}
}

func TestAppendRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		limits       Limits
		want         string
	}{
		{"a function", `return { items = { 1, 2, print } }`, Limits{}, "result.items[3]: a function cannot be sent"},
		{"a coroutine", `return { co = coroutine.create(print) }`, Limits{}, "result.co: a thread cannot be sent"},
		{"a userdata, by the name it gives itself", `local u = newproxy(true) getmetatable(u).__metatable = "ctx" return { a = u }`, Limits{}, "result.a: a ctx cannot be sent"},
		{"a userdata without a name", `return { a = newproxy() }`, Limits{}, "result.a: a userdata cannot be sent"},
		{"NaN", `return { a = 0/0 }`, Limits{}, "result.a: NaN (0/0) cannot be sent"},
		{"infinity", `return { a = -1/0 }`, Limits{}, "result.a: an infinite number cannot be sent"},
		{"a list with a gap", `local t = { 1, 2, 3 } t[2] = nil return { list = t }`, Limits{}, "result.list[2]: the list has a gap here: put json.null"},
		{"a key far away", `return { list = { [5] = 1 } }`, Limits{}, "result.list[1]: the list has a gap here"},
		{"list and object in one", `return { a = { 1, x = 2 } }`, Limits{}, "result.a: the table is a list and has also the key 'x'"},
		{"a list with the key 0", `return { a = { 1, [0] = 2 } }`, Limits{}, "result.a: the table is a list and has also the key 0"},
		{"a fraction as key", `return { a = { [1.5] = 2 } }`, Limits{}, "result.a: the table has a key that is no string: 1.5"},
		{"a boolean as key", `return { a = { x = 1, [true] = 2 } }`, Limits{}, "result.a: the table has a key that is no string: (a boolean)"},
		{"a marked list with names", `return array{ x = 1 }`, Limits{}, "result: the table is a list and has also the key 'x'"},
		{"a marked object with elements", `return object{ 1 }`, Limits{}, "result: an object has a key that is no string: 1"},
		{"a table inside itself", `local t = {} t.a = { t } return t`, Limits{}, "result.a[1]: the table contains itself"},
		{"a table inside itself, many times over", `local t = {} for i = 1, 100 do t[i] = t end return t`, Limits{}, "result[1]: the table contains itself"},
		{"a table inside itself, far down", `local t = {} local x = t for i = 1, 20 do x.a = {} x = x.a end x.b = t.a.a.a.a.a.a.a.a.a.a.a return t`, Limits{}, ".a.b: the table contains itself"},
		{"too deep", `return { { { { 1 } } } }`, Limits{Depth: 3}, "result[1][1][1]: nested deeper than 3 levels"},
		{"deeper than the default", `local t = {} for i = 1, 101 do t = { t } end return t`, Limits{}, "nested deeper than 100 levels"},
		{"too many values", `return { 1, 2, 3, 4 }`, Limits{Nodes: 4}, "result[4]: more than 4 values"},
		{"shared tables that unfold to many values", `local t = { 1 } for i = 1, 60 do t = { t, t } end return t`, Limits{}, "more than 1000000 values"},
		{"too many bytes", `return { a = { ("x"):rep(50) } }`, Limits{Bytes: 20}, "result.a[1]: the JSON is larger than 20 bytes"},
		{"too many bytes in a key", `return { [("x"):rep(50)] = 1 }`, Limits{Bytes: 20}, "the JSON is larger than 20 bytes"},
		{"a key that is no name, quoted and cut", `return { ["` + strings.Repeat("a b", 30) + `"] = print, }`, Limits{}, `result["a ba ba ba ba ba ba ba ba ba ba ba ba ba…"]: a function`},
		{"an empty key", `return { [""] = print }`, Limits{}, `result[""]: a function`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Append(nil, mustEval(t, tt.source), EncodeOptions{Name: "result", Limits: tt.limits})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if got := errors.Is(err, ErrTooLarge); got != (tt.limits.Bytes > 0) {
				t.Errorf("errors.Is(%v, ErrTooLarge) = %v", err, got)
			}
		})
	}
}

func TestNameOfTheWholeValue(t *testing.T) {
	if _, err := Append(nil, mustEval(t, "return print"), EncodeOptions{}); err == nil || err.Error() != "value: a function cannot be sent" {
		t.Errorf("got %v", err)
	}
}

func TestLongPathsAreCut(t *testing.T) {
	source := `local t = { print } for i = 1, 90 do t = { [("k"):rep(30)] = t } end return t`
	_, err := Append(nil, mustEval(t, source), EncodeOptions{})
	if err == nil || len(err.Error()) > 600 || !strings.HasPrefix(err.Error(), "value….kkk") {
		t.Errorf("got %v", err)
	}
}

func TestAppendNumber(t *testing.T) {
	for f, want := range map[float64]string{
		0: "0", 1: "1", -1: "-1", 0.5: "0.5", 1e15: "1000000000000000", 1 << 53: "9007199254740992", 1e20: "100000000000000000000",
		1e21: "1e+21", 1e-6: "0.000001", 1e-7: "1e-7", 1.5e-9: "1.5e-9", 1e-10: "1e-10", math.MaxFloat64: "1.7976931348623157e+308",
	} {
		if got := string(AppendNumber(nil, f)); got != want {
			t.Errorf("AppendNumber(%g) = %s, want %s", f, got, want)
		}
	}
	if got := string(AppendNumber(nil, math.Copysign(0, -1))); got != "-0" {
		t.Errorf("minus zero is %s", got)
	}
}
