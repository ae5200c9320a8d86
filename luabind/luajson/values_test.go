package luajson

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"
)

func TestNullRaises(t *testing.T) {
	for _, source := range []string{
		"null + 1", "1 - null", "null * 2", "null / 2", "null % 2", "null ^ 2", "-null", "null .. 'a'", "'a' .. null", "#null",
		"null < null", "null <= null", "null()", "null.x", "null.x.y", "null[1]", "null:f()",
	} {
		if _, err := eval(t, "return "+source); err == nil || !strings.Contains(err.Error(), "json.null") ||
			!strings.Contains(err.Error(), "compare it with json.null first") {
			t.Errorf("%s: got %v", source, err)
		}
	}
	if _, err := eval(t, "null.x = 1"); err == nil || !strings.Contains(err.Error(), "cannot set field 'x' of json.null") {
		t.Errorf("a field was set: %v", err)
	}
}

func TestNullIsOnlyItself(t *testing.T) {
	for source, want := range map[string]string{
		"null == null": "true", "null == nil": "false", "null ~= nil": "true", "tostring(null)": "null", "getmetatable(null)": "json.null",
	} {
		if got := mustEval(t, "return "+source).String(); got != want {
			t.Errorf("%s is %s, want %s", source, got, want)
		}
	}
}

func TestMarksCannotBeReached(t *testing.T) {
	if got := mustEval(t, "return getmetatable(array{})").String(); got != "array" {
		t.Errorf("getmetatable gives %s", got)
	}
	if _, err := eval(t, "setmetatable(object{}, nil)"); err == nil {
		t.Error("the mark was taken off")
	}
	if v := mustEval(t, "return object{}").(*lua.LTable); !Marked(v) {
		t.Error("a marked table is not Marked")
	}
}

func TestInteger(t *testing.T) {
	const a, b, c = `integer("9007199254740993")`, `integer("9007199254740994")`, `integer("-9007199254740993")`
	for source, want := range map[string]string{
		a + " == " + a: "true", a + " == " + b: "false", a + " < " + b: "true", b + " < " + a: "false", a + " <= " + a: "true",
		b + " > " + a: "true", a + " >= " + b: "false", c + " < " + a: "true", a + " < " + c: "false", c + " <= " + c: "true",
		`integer("-9007199254740994") < ` + c: "true", `integer("99999999999999999999") > ` + a: "true",
		"tostring(" + a + ")": "9007199254740993", `"id " .. ` + a: "id 9007199254740993", a + ` .. ":" .. ` + b: "9007199254740993:9007199254740994",
		"({ [" + a + "] = 'found' })[" + a + "]": "found", `integer("42") + 1`: "43", `integer("-9007199254740992")`: "-9007199254740992",
		`tostring(integer("01"))`: "nil", `tostring(integer("1.5"))`: "nil", `tostring(integer(""))`: "nil", `tostring(integer("-"))`: "nil",
		`tostring(integer("-0"))`: "0", "getmetatable(" + a + ")": "json.integer",
	} {
		v, err := eval(t, "return "+source)
		if err != nil {
			t.Errorf("%s: %v", source, err)
			continue
		}
		text := v.String()
		if d, ok := Digits(v); ok {
			text = d
		}
		if text != want {
			t.Errorf("%s is %s, want %s", source, text, want)
		}
	}
}

func TestIntegerRaises(t *testing.T) {
	const a = `integer("9007199254740993")`
	for source, want := range map[string]string{
		a + " + 1": "cannot add to a json.integer", "1 - " + a: "cannot subtract", "-" + a: "cannot negate a json.integer", a + " % 2": "tonumber(x) rounds it",
		a + ".x": "a json.integer has no field 'x'", "#" + a: "a json.integer has no length", a + " .. {}": "cannot concatenate", a + " < null": "attempt to compare",
	} {
		if _, err := eval(t, "return "+source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", source, err, want)
		}
	}
	if _, err := eval(t, a+".x = 1"); err == nil || !strings.Contains(err.Error(), "no field 'x'") {
		t.Errorf("a field was set: %v", err)
	}
}

func TestTonumberRoundsAnInteger(t *testing.T) {
	v, _ := Integer("9007199254740993")
	n, ok := v.(*lua.LUserData).Value.(interface{ LuaNumber() float64 })
	if !ok || n.LuaNumber() != 9007199254740992 {
		t.Errorf("LuaNumber of %v", v)
	}
}

// Values of different texts and goroutines with the same digits are one value, as a key of a table needs it.
func TestEqualDigitsAreOneValue(t *testing.T) {
	var wg sync.WaitGroup
	var values [8]lua.LValue
	for i := range values {
		wg.Go(func() {
			for range 1000 {
				v, err := Decode([]byte(`[12345678901234567890]`), DecodeOptions{})
				if err != nil {
					t.Error(err)
					return
				}
				values[i] = v.(*lua.LTable).RawGetInt(1)
			}
		})
	}
	wg.Wait()
	for _, v := range values {
		if v != values[0] {
			t.Errorf("%v and %v differ", v, values[0])
		}
	}
}

// The table of integers in use must not grow with every integer ever seen.
func TestUnusedIntegersAreForgotten(t *testing.T) {
	const text = "98765432109876543210"
	Integer(text)
	deadline := time.Now().Add(10 * time.Second)
	for {
		runtime.GC() // cleanups run some time after the collection that queued them
		runtime.Gosched()
		if _, ok := integers.Load(text); !ok {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("still there after 10 s of collections")
		}
	}
}

// Shared values may be used by any number of states at once; run with -race.
func TestSharedByStates(t *testing.T) {
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				v, err := eval(t, `local t = array{} t[1] = null
					local ok = pcall(function() return null + 1 end)
					local i = integer("9007199254740993")
					return { t, ok, i, i == integer("9007199254740993"), tostring(null) }`)
				if err != nil {
					t.Error(err)
					return
				}
				if out, err := Append(nil, v, EncodeOptions{}); err != nil || string(out) != `[[null],false,9007199254740993,true,"null"]` {
					t.Errorf("got %s, %v", out, err)
				}
			}
		})
	}
	wg.Wait()
}
