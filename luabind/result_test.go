package luabind

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/protocol/mcp"
)

const (
	png  = "\\137PNG\\r\\n\\026\\n"
	wav  = "RIFF0000WAVEfmt "
	webp = "RIFF0000WEBPVP8 "
)

func png64() string { return base64.StdEncoding.EncodeToString([]byte("\x89PNG\r\n\x1a\n")) }

// returned runs a source and makes a result of what it returns.
func returned(t testing.TB, source string, o ResultOptions) (*mcp.CallToolResult, error) {
	t.Helper()
	s := state(t, t.Context(), sandbox.Calling, &CallInfo{})
	values, err := s.Run(compile(t, source))
	if err != nil {
		return nil, err
	}
	return Result(s.L, values, o)
}

func text(s string) string {
	b, _ := json.Marshal(s)
	return `{"content":[{"type":"text","text":` + string(b) + `}]}`
}

func failed(s string) string { return strings.TrimSuffix(text(s), "}") + `,"isError":true}` }

func TestResultKinds(t *testing.T) {
	object := luajson.CompileShape([]byte(`{"type":"object","properties":{"map":{"type":"object"}}}`))
	for _, tt := range []struct {
		name, lua string
		o         ResultOptions
		want      string
	}{
		{"a string", `return "Hello"`, ResultOptions{}, text("Hello")},
		{"letters beyond ASCII", `return "23 °C 😀"`, ResultOptions{}, text("23 °C 😀")},
		{"invalid UTF-8 is repaired", `return "a\255b"`, ResultOptions{}, text("a\ufffdb")},
		{"an empty string", `return ""`, ResultOptions{}, text("")},
		{"a whole number", `return 42`, ResultOptions{}, text("42")},
		{"a fraction", `return 0.1`, ResultOptions{}, text("0.1")},
		{"a large number", `return 1e21`, ResultOptions{}, text("1e+21")},
		{"an integer beyond 2^53", `return json.integer "9007199254740993"`, ResultOptions{}, text("9007199254740993")},
		{"a boolean", `return false`, ResultOptions{}, text("false")},
		{"json.null", `return json.null`, ResultOptions{}, text("null")},
		{"nothing", `return`, ResultOptions{}, text("done")},
		{"nil", `return nil`, ResultOptions{}, text("no result")},
		{"nil and nil", `return nil, nil`, ResultOptions{}, text("no result")},
		{"nil and a message", `return nil, "No such place"`, ResultOptions{}, failed("No such place")},
		{"nil and an empty message", `return nil, ""`, ResultOptions{}, failed("the tool failed and gave no message")},
		{"nil and an error object", `return nil, { message = "No", hint = "try x" }`, ResultOptions{}, failed("No — try x")},
		{"false and a message", `return false, "No such place"`, ResultOptions{}, failed("No such place")},
		{"false and nil", `return false, nil`, ResultOptions{}, text("false")},
		{"nil and a hint alone", `return nil, { hint = "try x" }`, ResultOptions{}, failed("the tool failed and gave no message — try x")},
		{"nil and an error object whose message is a number", `return nil, { message = 404 }`, ResultOptions{}, failed("404")},
		{"nil and another table is JSON for the model", `return nil, { code = 404, what = { "a" } }`, ResultOptions{}, failed(`{"code":404,"what":["a"]}`)},
		{"a value and nil", `return "a", nil`, ResultOptions{}, text("a")},
		{"nil and a number", `return nil, 404`, ResultOptions{}, failed("404")},
		{"the count that gsub adds does not count", `return ("a"):gsub("a", "b")`, ResultOptions{}, text("b")},
		{"a table is JSON text", `return { b = 1, a = { true, json.null } }`, ResultOptions{}, text(`{"b":1,"a":[true,null]}`)},
		{"a list is JSON text", `return { 1, "two" }`, ResultOptions{}, text(`[1,"two"]`)},
		{"an empty table is a list", `return {}`, ResultOptions{}, text(`[]`)},
		{"a marked one an object", `return json.object{}`, ResultOptions{}, text(`{}`)},
		{"with output, a table is structured and text", `return { temperature = 1, map = {} }`, ResultOptions{Output: true, Shape: object},
			`{"content":[{"type":"text","text":"{\"temperature\":1,\"map\":{}}"}],"structuredContent":{"temperature":1,"map":{}}}`},
		{"with output, an empty table is an object", `return {}`, ResultOptions{Output: true}, `{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}`},
		{"with output, nil and a message is a failure", `return nil, "No"`, ResultOptions{Output: true}, failed("No")},

		{"a text block", `return text("Hi")`, ResultOptions{}, text("Hi")},
		{"a text block with annotations", `return text("Hi", { audience = "user", priority = 0.5, lastModified = "2026-01-02T03:04:05Z", meta = { a = 1 } })`, ResultOptions{},
			`{"content":[{"type":"text","text":"Hi","annotations":{"audience":["user"],"priority":0.5,"lastModified":"2026-01-02T03:04:05Z"},"_meta":{"a":1}}]}`},
		{"an audience of both, a time in seconds", `return text("Hi", { audience = { "user", "assistant" }, last_modified = 0 })`, ResultOptions{},
			`{"content":[{"type":"text","text":"Hi","annotations":{"audience":["user","assistant"],"lastModified":"1970-01-01T00:00:00Z"}}]}`},
		{"an image, sniffed", `return image("` + png + `")`, ResultOptions{}, `{"content":[{"type":"image","data":"` + png64() + `","mimeType":"image/png"}]}`},
		{"an image with its type and annotations", `return image("` + png + `", "image/png", { priority = 1 })`, ResultOptions{},
			`{"content":[{"type":"image","data":"` + png64() + `","mimeType":"image/png","annotations":{"priority":1}}]}`},
		{"an image with annotations alone", `return image("GIF89a", { priority = 1 })`, ResultOptions{},
			`{"content":[{"type":"image","data":"R0lGODlh","mimeType":"image/gif","annotations":{"priority":1}}]}`},
		{"webp", `return image("` + webp + `")`, ResultOptions{}, `{"content":[{"type":"image","data":"UklGRjAwMDBXRUJQVlA4IA==","mimeType":"image/webp"}]}`},
		{"jpeg", `return image("\255\216\255")`, ResultOptions{}, `{"content":[{"type":"image","data":"/9j/","mimeType":"image/jpeg"}]}`},
		{"a sound, sniffed", `return audio("` + wav + `")`, ResultOptions{}, `{"content":[{"type":"audio","data":"UklGRjAwMDBXQVZFZm10IA==","mimeType":"audio/wav"}]}`},
		{"a sound with its type", `return audio("abc", "audio/aac")`, ResultOptions{}, `{"content":[{"type":"audio","data":"YWJj","mimeType":"audio/aac"}]}`},
		{"a link", `return link{ uri = "file:///a/main.rs", name = "main", title = "T", description = "D", mime = "text/x-rust", size = 12, audience = "assistant" }`, ResultOptions{},
			`{"content":[{"type":"resource_link","uri":"file:///a/main.rs","name":"main","title":"T","description":"D","mimeType":"text/x-rust","size":12,"annotations":{"audience":["assistant"]}}]}`},
		{"a link takes its name from the path", `return link{ uri = "file:///a/main.rs" }`, ResultOptions{}, `{"content":[{"type":"resource_link","uri":"file:///a/main.rs","name":"main.rs"}]}`},
		{"a resource with text", `return resource{ uri = "file:///a.txt", mime = "text/plain", text = "A", priority = 0.25 }`, ResultOptions{},
			`{"content":[{"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/plain","text":"A"},"annotations":{"priority":0.25}}]}`},
		{"a resource with bytes", `return resource{ uri = "file:///a.bin", blob = "abc" }`, ResultOptions{},
			`{"content":[{"type":"resource","resource":{"uri":"file:///a.bin","blob":"YWJj"}}]}`},
		{"a list of blocks", `return { text("a"), image("GIF89a"), "c", 4 }`, ResultOptions{},
			`{"content":[{"type":"text","text":"a"},{"type":"image","data":"R0lGODlh","mimeType":"image/gif"},{"type":"text","text":"c"},{"type":"text","text":"4"}]}`},

		{"result with everything", `return result{ "a", text("b"), structured = { n = 1 }, meta = { k = "v" }, is_error = true }`, ResultOptions{},
			`{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}],"structuredContent":{"n":1},"isError":true,"_meta":{"k":"v"}}`},
		{"result without blocks shows what is structured", `return result{ structured = { map = {} } }`, ResultOptions{Output: true, Shape: object},
			`{"content":[{"type":"text","text":"{\"map\":{}}"}],"structuredContent":{"map":{}}}`},
		{"result of nothing", `return result{}`, ResultOptions{}, text("done")},
		{"result of a bare failure", `return result{ is_error = true }`, ResultOptions{}, failed("the tool failed and gave no message")},

		{"a raw result", `return { content = { { type = "text", text = "a" } }, isError = true }`, ResultOptions{}, failed("a")},
		{"a raw result in Python's spelling", `return { content = { { type = "text", text = "a" } }, is_error = true }`, ResultOptions{}, failed("a")},
		{"a raw result that is none of a failure", `return { content = { { type = "text", text = "a" } }, is_error = false, isError = json.null }`, ResultOptions{}, text("a")},
		{"a raw result with structure and meta", `return { content = { { type = "text", text = "a" } }, structuredContent = { n = 1 }, _meta = { k = {} } }`, ResultOptions{},
			`{"content":[{"type":"text","text":"a"}],"structuredContent":{"n":1},"_meta":{"k":[]}}`},
		{"a raw result of structure alone", `return { structuredContent = { n = 1 } }`, ResultOptions{Output: true},
			`{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`},
		{"a raw image", `return { content = { { type = "image", data = "R0lGODlh", mimeType = "image/gif" } } }`, ResultOptions{},
			`{"content":[{"type":"image","data":"R0lGODlh","mimeType":"image/gif"}]}`},
		{"a raw image in the form of the Messages API", `return { content = { { type = "image", source = { type = "base64", media_type = "image/gif", data = "R0lGODlh" } } } }`, ResultOptions{},
			`{"content":[{"type":"image","data":"R0lGODlh","mimeType":"image/gif"}]}`},
		{"a raw image without a type", `return { content = { { type = "image", data = "R0lG\nODlh" } } }`, ResultOptions{},
			`{"content":[{"type":"image","data":"R0lGODlh","mimeType":"image/gif"}]}`},
		{"a raw sound", `return { content = { { type = "audio", data = "YWJj", mimeType = "audio/aac" } } }`, ResultOptions{}, `{"content":[{"type":"audio","data":"YWJj","mimeType":"audio/aac"}]}`},
		{"a raw link", `return { content = { { type = "resource_link", uri = "file:///a.txt", name = "a", mimeType = "text/plain", size = 3, annotations = { priority = 0.9 }, _meta = { x = 1 } } } }`, ResultOptions{},
			`{"content":[{"type":"resource_link","uri":"file:///a.txt","name":"a","mimeType":"text/plain","size":3,"annotations":{"priority":0.9},"_meta":{"x":1}}]}`},
		{"a raw resource with annotations inside", `return { content = { { type = "resource", resource = { uri = "file:///a.txt", mimeType = "text/x", text = "A",
			annotations = { audience = { "user" }, lastModified = "2025-05-03T14:30:00Z" } } } } }`, ResultOptions{},
			`{"content":[{"type":"resource","resource":{"uri":"file:///a.txt","mimeType":"text/x","text":"A","annotations":{"audience":["user"],"lastModified":"2025-05-03T14:30:00Z"}}}]}`},
		{"a raw result with built blocks", `return { content = { text("a"), { type = "text", text = "b" } } }`, ResultOptions{}, `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`},
		{"a raw failure without content", `return { content = {}, isError = true }`, ResultOptions{}, failed("the tool failed and gave no message")},

		{"data with a key more is data", `return { content = { { type = "text", text = "a" } }, page = 1 }`, ResultOptions{}, text(`{"content":[{"type":"text","text":"a"}],"page":1}`)},
		{"data whose content has no known type is data", `return { content = { { type = "folder" } } }`, ResultOptions{}, text(`{"content":[{"type":"folder"}]}`)},
		{"data whose content is a string is data", `return { content = "a" }`, ResultOptions{Output: true}, `{"content":[{"type":"text","text":"{\"content\":\"a\"}"}],"structuredContent":{"content":"a"}}`},
		{"data whose content is empty is data", `return { content = {} }`, ResultOptions{}, text(`{"content":[]}`)},

		{"text above max_result is cut at a whole letter", `return ("ä"):rep(20)`, ResultOptions{MaxResult: 11},
			text("äääää\n[cut here: the whole has 40 bytes, more than the tool's max_result lets through; ask for less]")},
		{"JSON text is cut too", `return { a = ("x"):rep(100) }`, ResultOptions{MaxResult: 16},
			text(`{"a":"xxxxxxxxxx` + "\n[cut here: the whole has more than 16 bytes, more than the tool's max_result lets through; ask for less]")},
		{"of several texts the last ones go", `return { "aaaa", "bbbb", image("GIF89a"), "cccc" }`, ResultOptions{MaxResult: 8},
			`{"content":[{"type":"text","text":"aaaa"},{"type":"text","text":"bbbb"},{"type":"image","data":"R0lGODlh","mimeType":"image/gif"},` +
				`{"type":"text","text":"\n[cut here: the whole has 12 bytes, more than the tool's max_result lets through; ask for less]"}]}`},
		{"a failure's text is cut too", `return nil, ("x"):rep(20)`, ResultOptions{MaxResult: 4},
			failed("xxxx\n[cut here: the whole has 20 bytes, more than the tool's max_result lets through; ask for less]")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res, err := returned(t, tt.lua, tt.o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := res.AppendJSON(nil)
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(t, got, tt.want) {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
}

func sameJSON(t *testing.T, got []byte, want string) bool {
	t.Helper()
	canonical := func(b []byte) string {
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		out, _ := json.Marshal(v)
		return string(out)
	}
	return canonical(got) == canonical([]byte(want))
}

func TestResultFaults(t *testing.T) {
	for _, tt := range []struct {
		name, lua string
		o         ResultOptions
		want      string
	}{
		{"a second value that would be lost", `return "a", "b"`, ResultOptions{}, `run returned 2 values, a string and a string, and one is the result: return a list { a, b }, join texts with ..,`},
		{"a table and a message", `return {}, "b"`, ResultOptions{}, `run returned 2 values, a table and a string`},
		{"three values", `return 1, 2, 3`, ResultOptions{}, `run returned 3 values`},
		{"nil and a function", `return nil, print`, ResultOptions{}, `run returned nil and a function: a failure is return nil, message`},
		{"a function", `return print`, ResultOptions{}, "result: a function cannot be sent"},
		{"a link with a long text, many times", `local b, t = link{ uri = "x:y", name = "x", description = ("x"):rep(1000) }, {} for i = 1, 1000 do t[i] = b end return t`,
			ResultOptions{MaxResult: 1 << 16}, "links of the result take 980.4 KiB, above the tool's max_result of 64 KiB"},
		{"a meta that is written out, many times", `local b, t = { type = "text", text = "", _meta = { x = ("x"):rep(1000) } }, {} for i = 1, 1000 do t[i] = b end return { content = t }`,
			ResultOptions{MaxResult: 1 << 16}, "above the tool's max_result of 64 KiB"},
		{"more blocks than a client takes", `local t = {} for i = 1, 1001 do t[i] = text("") end return t`, ResultOptions{}, "the result has 1001 blocks, and at most 1000 are sent"},
		{"a function inside", `return { a = { 1, print } }`, ResultOptions{}, "result.a[2]: a function cannot be sent"},
		{"a tool", `return tool("x", "A tool", {}, function() end)`, ResultOptions{}, "result: a tool cannot be sent"},
		{"NaN", `return 0/0`, ResultOptions{}, "result: NaN (0/0) cannot be sent"},
		{"a block inside data", `return { a = image("GIF89a") }`, ResultOptions{}, "result.a: an image cannot be sent"},
		{"data among blocks", `return { text("a"), {} }`, ResultOptions{}, "result[2]: want a block or a string, got a table; text(json.encode(x)) makes a block of a table"},
		{"a string where output is declared", `return "a"`, ResultOptions{Output: true}, "the tool declares output, so run must return a table for it, or result{ structured = … }; it returned a string"},
		{"nothing where output is declared", `return`, ResultOptions{Output: true}, "it returned nothing"},
		{"nil where output is declared", `return nil`, ResultOptions{Output: true}, "it returned nil"},
		{"blocks where output is declared", `return text("a")`, ResultOptions{Output: true}, "it returned a text block"},
		{"result without structure where output is declared", `return result{ "a" }`, ResultOptions{Output: true}, "it returned a result"},
		{"a list where output is declared", `return { 1 }`, ResultOptions{Output: true}, "a structured result must be an object, run returned a list"},
		{"structure above max_result", `return { a = ("x"):rep(100) }`, ResultOptions{Output: true, MaxResult: 50}, "the structured result has more than 50 bytes, the tool's max_result"},
		{"pictures above max_result", `return image("GIF89a" .. ("x"):rep(100))`, ResultOptions{MaxResult: 50}, "take 144 bytes, above the tool's max_result of 50 bytes"},

		{"a raw block of an unknown type", `return { content = { { type = "txt", text = "a" } }, isError = false }`, ResultOptions{}, `result.content[1]: unknown type "txt" (did you mean 'text'?)`},
		{"a raw text without text", `return { content = { { type = "text" } } }`, ResultOptions{}, `result.content[1]: text: want a string, got nil`},
		{"a raw image that is no base64", `return { content = { { type = "image", data = "GIF89a!", mimeType = "image/gif" } } }`, ResultOptions{}, "result.content[1]: data: this is no base64"},
		{"a raw image of another kind", `return { content = { { type = "image", data = "YWJj", mimeType = "image/gif" } } }`, ResultOptions{}, "the bytes are no PNG, JPEG, GIF or WebP picture"},
		{"a raw image that lies about its kind", `return { content = { { type = "image", data = "R0lGODlh", mimeType = "image/png" } } }`, ResultOptions{}, `the bytes are image/gif, not "image/png"`},
		{"a raw image by URL", `return { content = { { type = "image", source = { type = "url", url = "https://x.org" } } } }`, ResultOptions{}, `source.type: want "base64", got "url"`},
		{"a raw link without address", `return { content = { { type = "resource_link", name = "a" } } }`, ResultOptions{}, `result.content[1]: uri: want an address with its scheme`},
		{"a raw resource without content", `return { content = { { type = "resource", resource = { uri = "file:///a" } } } }`, ResultOptions{}, `resource: want text or blob, one of them`},
		{"a raw resource that is no base64", `return { content = { { type = "resource", resource = { uri = "file:///a", blob = "?" } } } }`, ResultOptions{}, `resource.blob: this is no base64`},
		{"raw annotations", `return { content = { { type = "text", text = "a", annotations = { priority = 2 } } } }`, ResultOptions{}, `annotations: priority: want a number from 0 to 1, got 2`},
		{"raw content that is no list", `return { content = { a = { type = "text" } }, isError = true }`, ResultOptions{}, `result.content: want a list of blocks, got a table with the key 'a'`},
		{"a raw flag that is none", `return { content = { { type = "text", text = "a" } }, isError = "no" }`, ResultOptions{}, `result.isError: want true or false, got "no"`},
		{"raw structure that is none", `return { content = { { type = "text", text = "a" } }, structuredContent = 1 }`, ResultOptions{}, `result.structuredContent: want a table, got 1`},

		{"an image without bytes", `return image()`, ResultOptions{}, "image: want the bytes as a string, got nil"},
		{"an image of another kind", `return image("abc")`, ResultOptions{}, "image: the bytes are no PNG, JPEG, GIF or WebP picture, and only these reach the model"},
		{"an image of another type", `return image("GIF89a", "image/png")`, ResultOptions{}, `image: the bytes are image/gif, not "image/png"`},
		{"an image as base64", `return image("R0lGODlh")`, ResultOptions{}, "image: want the bytes themselves, got base64 of them"},
		{"a sound of unknown type", `return audio("abc")`, ResultOptions{}, "audio: the bytes are no WAV, MP3, Ogg or FLAC: name the type"},
		{"a sound of a type that is none", `return audio("abc", "video/mp4")`, ResultOptions{}, `audio: want a type such as "audio/wav", got "video/mp4"`},
		{"an unknown option", `return text("a", { audence = "user" })`, ResultOptions{}, "text: unknown option 'audence' (did you mean 'audience'?)"},
		{"an unknown audience", `return text("a", { audience = "me" })`, ResultOptions{}, `text: audience: want "user", "assistant" or a list of both, got "me"`},
		{"a time that is none", `return text("a", { lastModified = "today" })`, ResultOptions{}, `text: lastModified: want a time such as`},
		{"text of a table", `return text({})`, ResultOptions{}, "text: want a string, got a table"},
		{"a link without scheme", `return link{ uri = "a.txt" }`, ResultOptions{}, `link: uri: want an address with its scheme, such as "file:///data/report.txt", got "a.txt"`},
		{"a link with an unknown field", `return link{ url = "file:///a" }`, ResultOptions{}, "link: unknown field 'url' (did you mean 'uri'?)"},
		{"a link with a size that is none", `return link{ uri = "file:///a", size = -1 }`, ResultOptions{}, "link: size: want a number of bytes, got -1"},
		{"a link without a table", `return link("file:///a")`, ResultOptions{}, "link: want a table, got a string"},
		{"a resource with both", `return resource{ uri = "file:///a", text = "a", blob = "b" }`, ResultOptions{}, "resource: want text or blob, one of them"},
		{"a resource with a type that is none", `return resource{ uri = "file:///a", text = "a", mime = "text" }`, ResultOptions{}, `resource: mime: want a type such as "text/plain", got "text"`},
		{"a result with an unknown field", `return result{ "a", isError = true }`, ResultOptions{}, "result: unknown field 'isError' (did you mean 'is_error'?)"},
		{"a result with a flag that is none", `return result{ is_error = 1 }`, ResultOptions{}, "result: is_error: want true or false, got 1"},
		{"a result with structure that is none", `return result{ structured = "a" }`, ResultOptions{}, `result: structured: want a table, got "a"`},
		{"a result with a table among its blocks", `return result{ {} }`, ResultOptions{}, "result: result[1]: want a block or a string, got a table"},
		{"a result with meta that is none", `return result{ meta = 1 }`, ResultOptions{}, "result: meta: want a table with names, got 1"},
		{"a look into a block", `return text("a").text`, ResultOptions{}, "a text block has no field 'text'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := returned(t, tt.lua, tt.o)
			wantFault(t, err, tt.want)
		})
	}
}

// The result of one call must not change when the next one uses the same buffer.
func TestResultsDoNotShareMemory(t *testing.T) {
	first, err := returned(t, `return { a = "first" }`, ResultOptions{Output: true})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := returned(t, `return { b = "other" }`, ResultOptions{Output: true}); err != nil {
		t.Fatal(err)
	}
	if string(first.StructuredContent) != `{"a":"first"}` || first.Content[0].Text != `{"a":"first"}` {
		t.Errorf("%s, %s", first.StructuredContent, first.Content[0].Text)
	}
}

func BenchmarkResult(b *testing.B) {
	for _, tt := range []struct{ name, source string }{
		{"text", `return "15 + 27 = 42"`},
		{"table", `return { temperature = 21.5, conditions = "sunny", humidity = 40, days = { 1, 2, 3 }, place = { name = "Bern", lat = 46.948 } }`},
	} {
		b.Run(tt.name, func(b *testing.B) {
			s := state(b, b.Context(), sandbox.Calling, &CallInfo{})
			values, err := s.Run(compile(b, tt.source))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Result(s.L, values, ResultOptions{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLeanTool(b *testing.B) {
	s := state(b, b.Context(), sandbox.Lean, nil)
	proto := compile(b, `return tool{ run = function(args) return args.a + args.b end }`)
	b.ReportAllocs()
	for b.Loop() {
		values, err := s.Run(proto)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, ok := FunctionsOf(values, 0); !ok {
			b.Fatal("no tool")
		}
	}
}

// FuzzConvert sends any JSON through a call: into Lua, out again as a result, plain and structured. What comes out is valid JSON with the
// same value, and nothing in the input makes a panic.
func FuzzConvert(f *testing.F) {
	for _, seed := range []string{`{"a":[1,null,{}],"b":"\u00e9","c":[]}`, `{"content":[{"type":"text","text":"a"}]}`, `{"content":[{"type":"image","data":"R0lGODlh"}],"isError":true}`,
		`{"structuredContent":{},"_meta":{}}`, `[9007199254740993,-0]`, `"x"`, `{"content":[{"type":"resource","resource":{"uri":"a:b","text":""}}]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := luajson.Decode(b, luajson.DecodeOptions{Nulls: luajson.NullsKept, Limits: luajson.Limits{Bytes: 1 << 16, Depth: 50}})
		if err != nil {
			return
		}
		for _, o := range []ResultOptions{{}, {Output: true}} {
			res, err := Result(nil, []lua.LValue{v}, o)
			if err != nil {
				continue
			}
			out, err := res.AppendJSON(nil)
			if err != nil || !json.Valid(out) {
				t.Fatalf("%s: %s, %v", b, out, err)
			}
			if table, ok := v.(*lua.LTable); ok && !isRawResult(table) && !sameJSON(t, []byte(res.Content[0].Text), string(b)) {
				t.Fatalf("%s became %s", b, res.Content[0].Text)
			}
		}
	})
}
