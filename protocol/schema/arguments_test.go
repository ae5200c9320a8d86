package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

const ticket = `{"type":"object","properties":{
	"title":{"type":"string"},"count":{"type":"integer"},"tags":{"type":"array","items":{"type":"string"}},
	"sizes":{"type":"array","items":{"type":"number"}},"open":{"type":"boolean"},"any":{"type":["string","number","boolean","object","array","null"]},
	"data":{"type":"object"},"note":{"type":["string","null"]},"kind":{"enum":["1","2"]}},"required":["title"]}`

func TestArguments(t *testing.T) {
	s := compileClosed(t, ticket)
	for _, tt := range []struct {
		name  string
		words []string
		want  string
	}{
		{"no words are no arguments", nil, `{}`},
		{"one JSON object is taken as it is", []string{` {"a": 1} `}, `{"a": 1}`},
		{"text where a string is wanted", []string{"title=5"}, `{"title":"5"}`},
		{"the word null where a string or null is wanted", []string{"note=null"}, `{"note":"null"}`},
		{"text for an enum of strings", []string{"kind=1"}, `{"kind":"1"}`},
		{"everything behind the first = is the value", []string{"title=a=b"}, `{"title":"a=b"}`},
		{"an empty value", []string{"title="}, `{"title":""}`},
		{"JSON where something else is wanted", []string{"count=5", "open=true", `data={"x": 1}`}, `{"count":5,"open":true,"data":{"x": 1}}`},
		{"text where JSON is wanted and none came", []string{"count=five"}, `{"count":"five"}`},
		{"JSON where anything is taken", []string{"any=5"}, `{"any":5}`},
		{"text where anything is taken", []string{"any=five"}, `{"any":"five"}`},
		{"a key given twice makes a list", []string{"tags=a", "count=1", "tags=2"}, `{"tags":["a","2"],"count":1}`},
		{"items follow their own type", []string{"sizes=1", "sizes=2.50"}, `{"sizes":[1,2.50]}`},
		{"one value for a list makes a list", []string{"tags=a"}, `{"tags":["a"]}`},
		{"a JSON list for a list", []string{`tags=["a","b"]`}, `{"tags":["a","b"]}`},
		{"an unknown key is read as JSON", []string{"x=1", "y=z"}, `{"x":1,"y":"z"}`},
		{"a value with quotes and lines", []string{"title=a \"b\"\n\\\u0001é<"}, `{"title":"a \"b\"\n\\\u0001é<"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Arguments(tt.words, s)
			if err != nil || string(got) != tt.want {
				t.Errorf("Arguments(%q) = %s, %v, want %s", tt.words, got, err, tt.want)
			}
			if !json.Valid(got) {
				t.Errorf("%s is no JSON", got)
			}
		})
	}
	if got, err := Arguments([]string{"a=1", "b=x", "a=2"}, nil); err != nil || string(got) != `{"a":[1,2],"b":"x"}` {
		t.Errorf("without a schema: %s, %v", got, err)
	}
}

func TestArgumentsThatCannotBeRead(t *testing.T) {
	s := compileClosed(t, ticket)
	for _, tt := range []struct {
		name  string
		words []string
		want  string
	}{
		{"a word without =", []string{"Alice"}, `"Alice" is not of the form key=value; write title=Alice, or all arguments as one JSON object`},
		{"a flag", []string{"--title"}, `"--title" looks like a flag, and flags come before the tool; a parameter is written title=value`},
		{"a flag with a value", []string{"title=a", "--count=3"}, `flags come before the tool; a parameter is written count=3`},
		{"a flag that is no parameter", []string{"--verbose"}, `flags come before the tool`},
		{"a value with spaces, without quotes", []string{"count=1", "title=a", "b", "c", "open=true"}, `"b" is not of the form key=value; a value with spaces stands in quotes: title='a b c'`},
		{"one with an apostrophe too", []string{"title=it's", "late"}, `stands in quotes: title="it's late"`},
		{"a word of several", []string{"a b"}, `write title="a b"`},
		{"no key", []string{"=5"}, `"=5" is not of the form key=value; write title=5`},
		{"JSON and something else", []string{`{"a":1}`, "b=2"}, "must be the only argument"},
		{"JSON split by the shell", []string{`{"a":`, `1}`}, "one pair of quotes"},
		{"broken JSON", []string{`{"a":}`}, `cannot be read: want a JSON value at byte 5`},
		{"a member twice", []string{`{"a":1,"a":2}`}, `the member "a" twice`},
		{"no UTF-8", []string{"a=\xff"}, `the value of "a" is not UTF-8`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Arguments(tt.words, s)
			if _, ok := errors.AsType[*ArgumentError](err); !ok || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Arguments(%q): %v, want an ArgumentError with %q", tt.words, err, tt.want)
			}
		})
	}
}

func lookupTicket(name string) (json.RawMessage, error) {
	switch name {
	case "ticket", "db/query":
		return json.RawMessage(ticket), nil
	case "broken":
		return json.RawMessage(`{`), nil
	}
	return nil, fmt.Errorf("no tool %q; did you mean ticket?", name)
}

func TestParseCalls(t *testing.T) {
	for _, tt := range []struct{ name, prompt, want string }{
		{"key=value", "ticket title=Alice count=2", `ticket {"title":"Alice","count":2}`},
		{"a tool alone", "ticket", `ticket {}`},
		{"a JSON object to the end of the line", `db/query {"sql": "a b", "n": [1, 2]}`, `db/query {"sql": "a b", "n": [1, 2]}`},
		{"several lines, blank ones between", "\n ticket title=a \n\n\tdb/query count=1\r\n", `ticket {"title":"a"};db/query {"count":1}`},
		{"double quotes with escapes", `ticket title="a \"b\"\n\\ c" count=1`, `ticket {"title":"a \"b\"\n\\ c","count":1}`},
		{"single quotes as they are", `ticket title='a "b" \n'`, `ticket {"title":"a \"b\" \\n"}`},
		{"quotes around the whole word", `ticket "title=a b"`, `ticket {"title":"a b"}`},
		{"an apostrophe within a word", `ticket title=don't note=5'`, `ticket {"title":"don't","note":"5'"}`},
		{"a backslash outside quotes", `ticket title=C:\x`, `ticket {"title":"C:\\x"}`},
		{"a bare list with spaces", `ticket tags=["a b", "c"] count=1`, `ticket {"tags":["a b", "c"],"count":1}`},
		{"a bare object with spaces", `ticket data={"a": {"b": 1}}`, `ticket {"data":{"a": {"b": 1}}}`},
		{"tabs between words", "ticket\ttitle=a\tcount=1", `ticket {"title":"a","count":1}`},
		{"a tool whose schema is broken", "broken a=1", `broken {"a":1}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			calls, ok, err := ParseCalls(tt.prompt, lookupTicket)
			if !ok || err != nil {
				t.Fatalf("ok %v, %v", ok, err)
			}
			var got []string
			for _, c := range calls {
				got = append(got, c.Tool+" "+string(c.Arguments))
			}
			if s := strings.Join(got, ";"); s != tt.want {
				t.Errorf("got %s\nwant %s", s, tt.want)
			}
		})
	}
}

func TestAPromptInWordsIsNoListOfCalls(t *testing.T) {
	for _, prompt := range []string{"", " \n", "What is the weather?", "ticket title=a\nand then tell me", "please\nticket title=a", "tickt",
		"solve x=1 and y=2", "tickt title=a\nand then tell me", "Why is 2=2?", "json {", "tickt title='a", "\xff", "what's {}"} {
		if calls, ok, err := ParseCalls(prompt, lookupTicket); ok || err != nil || calls != nil {
			t.Errorf("ParseCalls(%q) = %v, %v, %v", prompt, calls, ok, err)
		}
	}
}

func TestParseCallsNamesTheLineThatCannotBeRead(t *testing.T) {
	for _, tt := range []struct{ prompt, want string }{
		{"ticket title=a\n\ndb/query all of it", `line 3: db/query: "all" is not of the form key=value`},
		{"tickt title=a", `line 1: no tool "tickt"; did you mean ticket?`},
		{"ticket title=a\nTicket title='a b' count=1", `line 2: no tool "Ticket"; did you mean ticket?`},
		{`db/qery {"sql": "a b"}`, `line 1: no tool "db/qery"; did you mean ticket?`},
		{"ticket title=\xff", `the prompt is not UTF-8`},
		{"ticket title=a b", `line 1: ticket: "b" is not of the form key=value; a value with spaces stands in quotes: title='a b'`},
		{`ticket title="a`, `line 1: ticket: the quote in "title=\"a" is not closed`},
		{`ticket {"a":`, `line 1: ticket: the argument`},
	} {
		calls, ok, err := ParseCalls(tt.prompt, lookupTicket)
		if !ok || err == nil || !strings.Contains(err.Error(), tt.want) || calls != nil {
			t.Errorf("ParseCalls(%q) = %v, %v, %v", tt.prompt, calls, ok, err)
		}
	}
}
