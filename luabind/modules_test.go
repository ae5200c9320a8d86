package luabind

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
	"github.com/luatools/luatools/luabind/sandbox"
)

// asText writes a value as JSON, or as what tostring says of it.
func asText(v lua.LValue) string {
	if out, err := luajson.Append(nil, v, luajson.EncodeOptions{}); err == nil {
		return string(out)
	}
	return v.String()
}

func TestModuleFunctions(t *testing.T) {
	for _, tt := range []struct{ lua, want string }{
		{`text.reverse("hello")`, `"olleh"`},
		{`text.reverse("Grüße 😀")`, `"😀 eßürG"`},
		{`text.reverse("")`, `""`},
		{`text.reverse(123)`, `"321"`},
		{`#text.reverse("a\255b")`, `3`},
		{`text.len("Grüße")`, `5`},
		{`text.sub("Grüße", 2, 4)`, `"rüß"`},
		{`text.sub("Grüße", -2)`, `"ße"`},
		{`text.sub("Grüße", -99, 2)`, `"Gr"`},
		{`text.sub("Grüße", 4, 2)`, `""`},
		{`text.sub("Grüße", 0, -5)`, `"G"`},
		{`text.sub("Grüße", 2, 9007199254740992)`, `"rüße"`},
		{`text.upper("größe")`, `"GRÖSSE"`[:2] + `RÖßE"`},
		{`text.lower("ÄB")`, `"äb"`},
		{`text.trim(" a b\t\n")`, `"a b"`},
		{`text.split("a,b,,c", ",")`, `["a","b","","c"]`},
		{`text.split("", ",")`, `[""]`},
		{`text.starts("hello", "he")`, `true`},
		{`text.ends("hello", "he")`, `false`},

		{`json.encode({ b = 1, a = {} })`, `"{\"b\":1,\"a\":[]}"`},
		{`json.encode(nil)`, `"null"`},
		{`json.encode({ 1 }, { indent = true })`, `"[\n  1\n]"`},
		{`json.encode({ 1 }, { indent = "\t" })`, `"[\n\t1\n]"`},
		{`json.encode({ 1 }, { indent = false })`, `"[1]"`},
		{`json.decode('{"a":[1,null],"n":null}')`, `{"a":[1,null]}`},
		{`json.decode('{"n":null}', { nulls = true })`, `{"n":null}`},
		{`json.decode('{"n":null}').n == nil`, `true`},
		{`json.decode('[null]')[1] == json.null`, `true`},
		{`json.decode("null") == nil`, `true`},
		{`json.decode(json.encode({ array{}, json.object{} }))`, `[[],{}]`},
		{`array()`, `[]`},
		{`array{ 1, 2 }`, `[1,2]`},
		{`json.array{}`, `[]`},
		{`json.object()`, `{}`},
		{`json.integer("12")`, `12`},
		{`json.integer("12345678901234567890")`, `12345678901234567890`},
		{`json.decode("[12345678901234567890]")[1] == json.integer("12345678901234567890")`, `true`},
		{`"id " .. json.integer("12345678901234567890")`, `"id 12345678901234567890"`},
		{`tostring(json.integer("12345678901234567890"))`, `"12345678901234567890"`},
		{`tostring(json.null)`, `"null"`},
		{`tostring(param.string("x"))`, `"param"`},
		{`tostring(image("GIF89a"))`, `"image"`},
		{`getmetatable(text("a"))`, `"text block"`},
	} {
		t.Run(tt.lua, func(t *testing.T) {
			values, err := run(t, sandbox.Calling, nil, "return "+tt.lua)
			if err != nil {
				t.Fatal(err)
			}
			if got := asText(values[0]); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestModuleMisuse(t *testing.T) {
	for lua, want := range map[string]string{
		`text.reverse()`:                         "text.reverse: want a string, got nil",
		`text.reverse({})`:                       "text.reverse: want a string, got a table",
		`text.reverse(json.null)`:                "text.reverse: want a string, got json.null",
		`text.sub("a")`:                          "text.sub: from: want a whole number, got nil",
		`text.sub("a", "x")`:                     `text.sub: from: want a whole number, got "x"`,
		`text.sub("a", 1, 1.5)`:                  "text.sub: to: want a whole number, got 1.5",
		`text.split("a", "")`:                    "text.split: separator: want at least one letter",
		`text.split("a")`:                        "text.split: separator: want a string, got nil",
		`text.starts("a")`:                       "text.starts: prefix: want a string, got nil",
		`text.upper(nil)`:                        "text.upper: want a string, got nil",
		`json.encode()`:                          "json.encode: want a value",
		`json.encode({ a = { print } })`:         "json.encode: value.a[1]: a function cannot be sent",
		`json.encode(1, { indent = 3 })`:         "json.encode: indent: want true or a string of spaces or tabs, got 3",
		`json.encode(1, { indnt = true })`:       "json.encode: unknown option 'indnt' (did you mean 'indent'?)",
		`json.encode(1, true)`:                   "json.encode: options: want a table of options, got a boolean",
		`json.decode("{")`:                       "json.decode: at byte 1: the text ends too early",
		`json.decode(nil)`:                       "json.decode: want a string, got nil",
		`json.decode("1", { nulls = 1 })`:        "json.decode: nulls: want true or false, got 1",
		`json.integer("1.5")`:                    `json.integer: want the digits of an integer, got "1.5"`,
		`array("x")`:                             "array: want a table, got a string",
		`array(setmetatable({}, {}))`:            "array: the table has a metatable of its own",
		`json.null.x`:                            "json.null has no field 'x'",
		`json.null + 1`:                          "cannot add to json.null",
		`json.integer("12345678901234567890")+1`: "cannot add to a json.integer",
		`json.null()`:                            "cannot call json.null",
	} {
		_, err := run(t, sandbox.Calling, nil, "return "+lua)
		wantFault(t, err, want)
	}
}

// What a module makes counts against the call.
func TestMemoryIsCharged(t *testing.T) {
	for _, source := range []string{
		`local s = ("[],"):rep(100000) for i = 1, 100 do json.decode("[" .. s .. "1]") end`,
		`local s = ("a,"):rep(100000) for i = 1, 1000 do text.split(s, ",") end`,
		`local s = ("a"):rep(1000000) for i = 1, 1000 do text.reverse(s) end`,
		`local s = { ("a"):rep(1000000) } for i = 1, 1000 do json.encode(s) end`,
		`local s = "GIF89a" .. ("a"):rep(1000000) for i = 1, 1000 do image(s) end`,
	} {
		_, err := run(t, sandbox.Calling, nil, source)
		if f, ok := errors.AsType[*sandbox.Fault](err); !ok || f.Kind != sandbox.Limit {
			t.Errorf("%s: %v", source, err)
		}
	}
}

type line struct{ level, text string }

func TestLog(t *testing.T) {
	var lines []line
	info := &CallInfo{Log: func(level, text string) { lines = append(lines, line{level, text}) }}
	const source = `print("a", 1, nil, true, { x = { 1 } }, print)
		log.debug("d") log.info("i", 2) log.warn("w") log.error("e\255")
		print(setmetatable({}, { __tostring = function() return "mine" end }), json.null, json.integer "12345678901234567890")
		print({ print }) print() print(("x"):rep(20000))`
	for _, mode := range []sandbox.Mode{sandbox.Calling, sandbox.Loading} {
		lines = nil
		if _, err := run(t, mode, info, source); err != nil {
			t.Fatal(err)
		}
		want := []line{{"info", "a\t1\tnil\ttrue\t{\"x\":[1]}\tfunction"}, {"debug", "d"}, {"info", "i 2"}, {"warn", "w"}, {"error", "e\ufffd"},
			{"info", "mine\tnull\t12345678901234567890"}, {"info", "table"}, {"info", ""}, {"info", strings.Repeat("x", maxLogLine) + "…"}}
		if !reflect.DeepEqual(lines, want) {
			t.Errorf("%d: %.200q", mode, lines)
		}
	}
	if _, err := run(t, sandbox.Calling, nil, source); err != nil {
		t.Errorf("nobody listens: %v", err)
	}
}

func TestTheLogOfOneCallIsBounded(t *testing.T) {
	for _, tt := range []struct {
		name, source string
		lines        int
		last         line
	}{
		{"many lines", `local s = ("x"):rep(1023) for i = 1, 1000 do print(s) end`, 65, line{"warn", logDropped}},
		{"empty lines count too", `for i = 1, 100000 do log.error() end`, maxLog + 1, line{"warn", logDropped}},
		{"what fits is kept", `for i = 1, 64 do print(("x"):rep(1023)) end`, 64, line{"info", strings.Repeat("x", 1023)}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var lines []line
			info := &CallInfo{Log: func(level, text string) { lines = append(lines, line{level, text}) }}
			for range 2 { // the next call has all of it again
				lines = nil
				if _, err := run(t, sandbox.Calling, info, tt.source); err != nil {
					t.Fatal(err)
				}
				if len(lines) != tt.lines || lines[len(lines)-1] != tt.last {
					t.Errorf("%d lines, the last %.100q", len(lines), lines[len(lines)-1])
				}
			}
		})
	}
}

// withContext runs source, which sees ctx, as the body of a call.
func withContext(t testing.TB, ctx context.Context, mode sandbox.Mode, info *CallInfo, source string) ([]lua.LValue, error) {
	t.Helper()
	s := state(t, ctx, mode, info)
	return s.Run(compile(t, "local ctx = ...; "+source), NewContext(s.L, info))
}

func TestContextFields(t *testing.T) {
	info := &CallInfo{Tool: "current", Server: "weather", CallID: "c1", ToolUseID: "toolu_1", Deadline: time.UnixMilli(1_700_000_000_250)}
	values, err := withContext(t, t.Context(), sandbox.Calling, info,
		`return { ctx.tool, ctx.server, ctx.call_id, ctx.tool_use_id, ctx.deadline, ctx:cancelled(), tostring(ctx), getmetatable(ctx) }`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := asText(values[0]), `["current","weather","c1","toolu_1",1700000000.25,false,"ctx","ctx"]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	values, err = withContext(t, t.Context(), sandbox.Calling, &CallInfo{}, `return ctx.tool_use_id == nil and ctx.deadline == nil`)
	if err != nil || values[0] != lua.LTrue {
		t.Errorf("what is not known is nil: %v, %v", values, err)
	}
}

func TestContextFaults(t *testing.T) {
	for source, want := range map[string]string{
		`ctx.tol()`:                             "ctx has no field 'tol' (did you mean 'tool'?)",
		`ctx:confirm("x")`:                      "ctx has no field 'confirm'",
		`ctx:each({})`:                          "ctx has no field 'each'",
		`return ctx[1]`:                         "ctx has no field 1",
		`ctx.tool = "x"`:                        "a ctx cannot be changed",
		`ctx.sleep("1s")`:                       "ctx:sleep: call it with a colon, got a string for ctx",
		`ctx:sleep("1")`:                        `ctx:sleep: want a duration such as "500ms"`,
		`ctx:sleep(-1)`:                         "ctx:sleep: want a duration",
		`ctx:progress(1)`:                       "ctx:progress: want a table { done =, total =, message = }, got a number",
		`ctx:progress{}`:                        "ctx:progress: want done or message",
		`ctx:progress{ don = 1 }`:               "ctx:progress: unknown field 'don' (did you mean 'done'?)",
		`ctx:progress{ done = -1 }`:             "ctx:progress: done: want a number from 0 on, got -1",
		`ctx:progress{ done = 0/0 }`:            "ctx:progress: done: want a number from 0 on",
		`ctx:progress{ done = "1" }`:            "ctx:progress: done: want a number, got a string",
		`ctx:progress{ done = 1, message = 1 }`: "ctx:progress: message: want a string, got a number",
	} {
		_, err := withContext(t, t.Context(), sandbox.Calling, &CallInfo{}, source)
		wantFault(t, err, want)
	}
	_, err := withContext(t, t.Context(), sandbox.Pure, &CallInfo{}, `ctx:sleep("1s")`)
	wantFault(t, err, "ctx:sleep works only inside run")
}

func TestContextOfAnEndedCallIsRefused(t *testing.T) {
	s := state(t, t.Context(), sandbox.Calling, &CallInfo{})
	old := NewContext(s.L, &CallInfo{Progress: func(float64, float64, string) { t.Error("progress of another call") }})
	_, err := s.Run(compile(t, `local ctx = ... ctx:progress{ done = 1 }`), old)
	wantFault(t, err, "ctx:progress: this ctx belongs to a call that has ended")
}

func TestProgress(t *testing.T) {
	var got []string
	info := &CallInfo{Progress: func(done, total float64, message string) { got = append(got, fmt.Sprint(done, total, message)) }}
	_, err := withContext(t, t.Context(), sandbox.Calling, info, `ctx:progress{ done = 1, total = 3 } ctx:progress{ message = "page\255" } ctx:progress{ done = 0.5, message = "x" }`)
	if want := []string{"1 3", "0 0page\ufffd", "0.5 0x"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := withContext(t, t.Context(), sandbox.Calling, &CallInfo{}, `ctx:progress{ done = 1 }`); err != nil {
		t.Errorf("nobody listens: %v", err)
	}
}

func TestSleepWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if _, err := withContext(t, t.Context(), sandbox.Calling, &CallInfo{}, `ctx:sleep("2s") ctx:sleep(0.5) ctx:sleep(0)`); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(start); d != 2500*time.Millisecond {
			t.Errorf("slept %v", d)
		}
	})
}

func TestSleepEndsWithTheCall(t *testing.T) {
	t.Run("cancelled", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			start := time.Now()
			time.AfterFunc(time.Second, cancel)
			_, err := withContext(t, ctx, sandbox.Calling, &CallInfo{}, `pcall(ctx.sleep, ctx, "1h") return "went on"`)
			if f, ok := errors.AsType[*sandbox.Fault](err); !ok || f.Kind != sandbox.Cancelled || time.Since(start) != time.Second {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		})
	})
	t.Run("out of time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			s := env.NewState()
			defer s.Close()
			info := &CallInfo{}
			s.Begin(t.Context(), sandbox.Calling, sandbox.Limits{Wall: 3 * time.Second}, info)
			defer s.End()
			_, err := s.Run(compile(t, `local ctx = ... ctx:sleep("1h")`), NewContext(s.L, info))
			if f, ok := errors.AsType[*sandbox.Fault](err); !ok || f.Kind != sandbox.Timeout || time.Since(start).Round(time.Microsecond) != 3*time.Second {
				t.Errorf("%v after %v", err, time.Since(start))
			}
		})
	})
}

// The modules' functions and metatables are shared by all states at once; run with -race.
func TestSharedByStates(t *testing.T) {
	done := make(chan error, 8)
	for range cap(done) {
		go func() {
			done <- func() error {
				for range 20 {
					s := env.NewState()
					s.Begin(context.Background(), sandbox.Calling, sandbox.Limits{}, &CallInfo{})
					tree, err := sandbox.Parse("test.lua", []byte(`local p, b = param.string("x"), text("a", { audience = "user" })
						pcall(function() return p.x end)
						return { b, text.reverse("ab"), json.encode{ json.decode('{"a":[null,12345678901234567890]}'), array{} } }`))
					if err != nil {
						return err
					}
					proto, err := sandbox.Compile(tree, "test.lua")
					if err != nil {
						return err
					}
					values, err := s.Run(proto)
					if err != nil {
						return err
					}
					res, err := Result(s.L, values, ResultOptions{})
					if err != nil {
						return err
					}
					if got := res.Content[2].Text; got != `[{"a":[null,12345678901234567890]},[]]` {
						return errors.New(got)
					}
					s.End()
					s.Close()
				}
				return nil
			}()
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
