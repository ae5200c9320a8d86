package attacks

import (
	"fmt"
	"strings"
)

// generated makes the attacks that would be too long for files: sources that hurt a parser or compiler, and large arguments.
func generated() map[string]string {
	many := func(n int, s string) string { return strings.Repeat(s, n) }
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	head := func(what, want string) string { return "-- " + what + "\n-- want: " + want + "\n" }
	tail := "\nreturn tool{ description = \"Tries to harm its host.\", run = function(args) return \"ran\" end }\n"
	files := map[string]string{}
	source := func(name, what, want, body string) { files["source_"+name] = head(what, want) + body + tail }

	source("parentheses", "Ten thousand parentheses.", "load error", "local x = "+many(10_000, "(")+"1"+many(10_000, ")"))
	source("parentheses_open", "Parentheses that are never closed.", "load error", "local x = "+many(200_000, "("))
	source("tables", "Ten thousand tables in one another.", "load error", "local x = "+many(10_000, "{")+many(10_000, "}"))
	source("functions_nested", "Five thousand functions in one another.", "load error", "local x = "+many(5_000, "function() return ")+"1 "+many(5_000, "end "))
	source("blocks", "Twenty thousand blocks in one another.", "load error", many(20_000, "do ")+many(20_000, "end "))
	source("ifs", "Ten thousand ifs in one another.", "load error", "local a "+many(10_000, "if a then ")+many(10_000, "end "))
	source("elseifs", "A chain of ten thousand elseifs.", "load error", "local a if a then "+many(10_000, "elseif a then ")+"end")
	source("whiles", "Loops in one another.", "load error", "local a "+many(5_000, "while a do ")+many(5_000, "end "))
	source("repeats", "Loops in one another that look at their condition last.", "load error", "local a "+many(5_000, "repeat ")+many(5_000, "until a "))
	source("nots", "Fifty thousand nots.", "load error", "local x = "+many(50_000, "not ")+"1")
	source("minuses", "Fifty thousand minuses.", "load error", "local x = "+many(50_000, "- ")+"1")
	source("lengths", "Fifty thousand #.", "load error", "local x = "+many(50_000, "#")+"''")
	source("powers", "Fifty thousand powers, which the parser keeps on its stack.", "load error", "local x = 1"+many(50_000, "^1"))
	source("sums", "A sum of sixty thousand numbers, which the compiler folds anew at each.", "load error", "local x = 1"+many(60_000, "+1"))
	source("sums_names", "A sum of sixty thousand names.", "load error", "local a = 1 local x = a"+many(60_000, "+a"))
	source("concatenations", "Sixty thousand concatenations.", "load error", "local a = '' local x = a"+many(60_000, "..a"))
	source("concatenations_allowed", "As many concatenations as are allowed.", "result", "local a, x = '' "+many(140, "x = a"+many(140, "..a")+" "))
	source("ors", "Forty thousand ors.", "load error", "local a local x = a"+many(40_000, " or a"))
	source("ands_ors", "Ors and ands by turns.", "load error", "local a local x = a"+many(15_000, " or a and a"))
	source("comparisons", "Sixty thousand comparisons.", "load error", "local a local x = a"+many(60_000, "<a"))
	source("fields", "Sixty thousand fields of fields.", "load error", "local a local x = a"+many(60_000, ".b"))
	source("indices", "Indices in indices.", "load error", "local a local x = "+many(20_000, "a[")+"1"+many(20_000, "]"))
	source("calls", "Sixty thousand calls of calls.", "load error", "local a local x = a"+many(60_000, "()"))
	source("calls_nested", "Calls in calls.", "load error", "local a local x = "+many(20_000, "a(")+"1"+many(20_000, ")"))
	source("methods", "Forty thousand methods of methods.", "load error", "local a local x = a"+many(40_000, ":b()"))
	source("call_strings", "Calls without parentheses.", "load error", "local a local x = a"+many(60_000, "''"))
	source("constants", "Thirty thousand constants in one table.", "load error", "local x = {"+numbered(30_000, "%d,")+"}")
	source("constants_strings", "Eighteen thousand strings in one function, which the compiler looks up one by one.", "load error", "local a "+numbered(18_000, "a='%d' "))
	source("constants_names", "Fifteen thousand names of fields.", "load error|result", "local a = {} "+numbered(15_000, "a.n%d=1 "))
	source("constants_functions", "Constants in two thousand functions.", "result", "local a "+numbered(1_900, "a=function() return '%d' end "))
	source("labels", "Twenty thousand labels.", "load error", numbered(20_000, "::l%d::"))
	source("gotos", "Twenty thousand gotos.", "load error", many(20_000, "goto a ")+"::a::")
	source("gotos_nested", "Gotos out of many blocks.", "load error|result", many(190, "do ")+many(400, "do goto a end ")+many(190, "end ")+"::a::")
	source("functions", "Fifteen thousand functions.", "load error", "local a "+many(15_000, "a=function()end "))
	source("locals", "Three hundred locals.", "load error", numbered(300, "local a%d "))
	source("locals_one", "Three hundred locals in one statement.", "load error", "local "+strings.TrimSuffix(numbered(300, "a%d,"), ","))
	source("assignments", "An assignment to twenty thousand names.", "load error|result", "local a "+strings.TrimSuffix(many(20_000, "a,"), ",")+" = 1")
	source("assignments_values", "An assignment of twenty thousand values.", "load error|result", "local a a = "+strings.TrimSuffix(many(20_000, "a,"), ","))
	source("parameters", "Three hundred parameters.", "load error", "local function f("+strings.TrimSuffix(numbered(300, "a%d,"), ",")+") end")
	source("arguments", "Three hundred arguments.", "load error", "local f f("+many(300, "1,")+"1)")
	source("returns", "Three hundred results.", "load error", "local f = function() return "+many(300, "1,")+"1 end")
	source("jumps", "A loop too long for a jump.", "load error", "local f for i = 1, 2 do "+many(80_000, "f()")+" end")
	source("long", "A source beyond the limit.", "load error", many(300_000, " "))
	source("long_name", "A name of a hundred thousand letters.", "result", "local "+many(100_000, "a")+" = 1")
	source("long_string", "A string of two hundred thousand letters.", "result", "local x = '"+many(200_000, "a")+"'")
	source("long_number", "A number of a hundred thousand digits.", "load error|result", "local x = "+many(100_000, "9"))
	source("long_comment", "A comment that never ends.", "load error", "--[["+many(200_000, "a"))
	source("long_bracket", "A bracket of a hundred thousand equals signs.", "load error", "local x = ["+many(200_000, "="))
	source("escapes", "Strings of escapes.", "load error|result", "local x = '"+many(50_000, `\255`)+"'")
	source("escapes_wrong", "Escapes that are wrong.", "load error|result", `local x = "\999\xZZ\q"`)
	source("newlines", "Two hundred and fifty thousand lines.", "result", many(250_000, "\n"))
	source("semicolons", "Two hundred thousand semicolons.", "load error|result", many(200_000, ";"))
	source("zero_bytes", "Zero bytes.", "load error", many(1_000, "\x00"))
	source("invalid_utf8", "A source that is no UTF-8.", "load error", many(1_000, "\xff\xfe"))
	source("upvalues", "A function with more upvalues than a byte counts.", "load error", upvalues())
	source("vararg_outside", "... where there is none.", "load error|result", "local function f() return ... end")
	source("break_outside", "break where there is no loop.", "load error", "break")
	source("goto_nowhere", "goto to no label.", "load error", "goto nowhere")
	source("goto_loop_local", "Gotos round a local that a closure holds.", "result", "local n, f = 0 ::a:: do local x = n f = function() return x end n = n + 1 end if n < 1000 then goto a end")
	source("label_twice", "A label twice.", "load error", "::a:: ::a::")
	source("return_call_args", "A return in the middle.", "load error", "do return end return 1")

	argument := func(name, what, want, input, args string) {
		files["args_"+name] = "-- " + what + "\n-- want: " + want + "\n-- args: " + args + "\n" +
			"return tool{\n  description = \"Takes hostile arguments.\",\n  input = { a = " + input + " },\n  run = function(args) return type(args.a) end,\n}\n"
	}
	anything := `param.any("Anything at all.")`
	argument("deep", "Ten thousand lists in one another.", "error", anything, `{"a":`+many(10_000, "[")+many(10_000, "]")+"}")
	argument("deep_objects", "A hundred thousand objects in one another.", "error", anything, `{"a":`+many(100_000, `{"a":`)+"1"+many(100_000, "}")+"}")
	argument("deep_open", "A million lists that are never closed.", "error", anything, `{"a":`+many(1_000_000, "["))
	argument("wide", "A list of five hundred thousand numbers.", "result|error|timeout", anything, `{"a":[`+many(500_000, "1,")+"1]}")
	argument("wide_object", "An object of two hundred thousand members.", "result|error|timeout|limit", anything, `{"a":{`+strings.TrimSuffix(numbered(200_000, `"k%d":1,`), ",")+"}}")
	argument("wide_unknown", "A hundred thousand members that were not asked for.", "error|timeout", `"string"`, `{"a":"x",`+strings.TrimSuffix(numbered(100_000, `"k%d":1,`), ",")+"}")
	argument("wide_wrong", "A hundred thousand items of the wrong type.", "error|timeout", `"integer[]"`, `{"a":[`+many(100_000, `{},`)+`{}]}`)
	argument("wide_unique", "A list of fifty thousand items that must be unique.", "result|error|timeout|limit",
		`param.array("Unique.", { of = "any", unique = true })`, `{"a":[`+strings.TrimSuffix(numbered(50_000, "[%d],"), ",")+"]}")
	argument("empty_objects", "A million empty objects, which take more memory than text.", "result|error|timeout|limit", anything, `{"a":[`+many(900_000, "{},")+"{}]}")
	argument("long_string", "A string of eight megabytes.", "result|error|limit", `"string"`, `{"a":"`+many(8_000_000, "x")+`"}`)
	argument("long_escapes", "A string of a million escapes.", "result|error|limit", `"string"`, `{"a":"`+many(1_000_000, `\u0001`)+`"}`)
	argument("long_key", "A key of four megabytes.", "result|error|limit", anything, `{"a":{"`+many(4_000_000, "k")+`":1}}`)
	argument("long_digits", "A number of a million digits.", "error|result", `"number"`, `{"a":`+many(1_000_000, "9")+"}")
	argument("long_fraction", "A fraction of a million digits.", "error|result", `"number"`, `{"a":0.`+many(1_000_000, "3")+"}")
	argument("repaired_deep", "A string that is repaired to a deep list.", "error", `"any[]"`, `{"a":"`+many(10_000, "[")+many(10_000, "]")+`"}`)
	argument("repaired_number", "A string that is repaired to a number without end.", "error|result", `"number"`, `{"a":"1e999999999"}`)
	argument("repaired_strings", "Strings in strings in strings.", "error|result", `"object"`, `{"a":"\"\\\"{}\\\"\""}`)
	argument("invalid_utf8", "A string that is no UTF-8.", "error", `"string"`, "{\"a\":\"\xff\xfe\"}")
	argument("duplicate_keys", "A key a hundred thousand times.", "error|result", anything, `{"a":{`+many(100_000, `"k":1,`)+`"k":1}}`)
	argument("no_object", "A list for an object.", "error", `"string"`, `["a"]`)
	argument("truncated", "Arguments that end in the middle.", "error", `"string"`, `{"a":"x`)
	argument("empty", "Nothing.", "error", `"string"`, ` `)
	return files
}

func upvalues() string {
	var b strings.Builder
	b.WriteString("local function f()\n")
	for level := range 2 {
		for i := range 150 {
			fmt.Fprintf(&b, "local a%d_%d\n", level, i)
		}
		b.WriteString("return function()\n")
	}
	b.WriteString("return 1")
	for level := range 2 {
		for i := range 150 {
			fmt.Fprintf(&b, "\nor a%d_%d", level, i)
		}
	}
	b.WriteString("\nend\nend\nend")
	return b.String()
}
