package sandbox

import (
	"bytes"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

const noBits = "Lua 5.1 has no bit operators"

// foreignSymbol says what to write for a character that Lua 5.1 does not know; rest is the source from it on.
func foreignSymbol(symbol string, rest []byte) string {
	next := byte(0)
	if len(rest) > 1 {
		next = rest[1]
	}
	switch {
	case symbol == "!" && next == '=':
		return "not equal is written ~="
	case symbol == "!":
		return "write not in place of !"
	case symbol == "&" && next == '&':
		return "write and in place of &&"
	case symbol == "|" && next == '|':
		return "write or in place of ||"
	case symbol == "&":
		return noBits + ": & can be arithmetic, such as n % 8 for n & 7"
	case symbol == "|":
		return noBits + ": | can be arithmetic, such as a + b where they share no bit"
	case symbol == "~":
		return "not equal is written ~=, and " + noBits
	case symbol == "?":
		return "write c and a or b in place of c ? a : b"
	case symbol == "`":
		return `a string stands in "…", '…' or [[…]]`
	}
	return ""
}

// foreignWords are what other languages write where Lua has another word.
var foreignWords = map[string]string{
	"let": "write local in place of let", "const": "write local in place of const", "var": "write local in place of var",
	"elif": "write elseif in place of elif", "elsif": "write elseif in place of elsif", "def": "write function in place of def",
	"func": "write function in place of func", "fn": "write function in place of fn", "import": `write local name = require "lib.name"`,
	"continue": "Lua 5.1 has no continue: write goto continue, and ::continue:: before the end of the loop",
}

// foreign says what to write in place of the tokens at a syntax error: what other versions of Lua, and other languages, have there.
func foreign(src []byte, at ast.Position) string {
	before, next := tokensTo(src, at)
	n := len(before)
	if n == 0 {
		return ""
	}
	cur := before[n-1]
	var prev ast.Token
	if n > 1 {
		prev = before[n-2]
	}
	switch {
	case cur.Type == '/' && touching(prev, cur) && prev.Type == '/':
		return "for a // b write math.floor(a / b); a comment begins with --"
	case cur.Type == '/' && touching(cur, next) && (next.Type == '/' || next.Type == '*'):
		return "a comment begins with --"
	case cur.Type == '<' && touching(prev, cur) && prev.Type == '<':
		return noBits + ": for a << b write a * 2 ^ b"
	case cur.Type == '>' && touching(prev, cur) && prev.Type == '>':
		return noBits + ": for a >> b write math.floor(a / 2 ^ b)"
	case cur.Type == '=' && touching(cur, next) && next.Type == '>':
		return "a function is written function(x) … end"
	case cur.Type == '=' && touching(prev, cur) && (prev.Type == parse.TEqeq || prev.Type == parse.TNeq):
		return "write " + prev.Str
	case cur.Type == '<' && (next.Str == "const" || next.Str == "close"):
		return "Lua 5.1 has no attributes: leave <" + next.Str + "> out"
	case isArithmetic(cur.Type) && touching(cur, next) && next.Type == '=' && prev.Type == parse.TIdent:
		return "write " + cut40(prev.Str) + " = " + cut40(prev.Str) + " " + cur.Str + " …"
	case cur.Type == '+' && touching(cur, next) && next.Type == '+' && prev.Type == parse.TIdent:
		return "write " + cut40(prev.Str) + " = " + cut40(prev.Str) + " + 1"
	case isArithmetic(cur.Type) && touching(cur, next) && next.Type == '=':
		return "write a = a " + cur.Str + " b in place of a " + cur.Str + "= b"
	case cur.Type == '=' && inCondition(before[:n-1]):
		return "to compare, write =="
	case prev.Type == parse.TIdent:
		return foreignWords[prev.Str]
	}
	return ""
}

func isArithmetic(kind int) bool {
	return slices.Contains([]int{'+', '-', '*', '/', '%', '^', parse.T2Comma}, kind)
}

// touching reports whether b follows a with nothing between them.
func touching(a, b ast.Token) bool {
	return a.Pos.Line == b.Pos.Line && a.Pos.Column+max(len(a.Str), 1) == b.Pos.Column
}

// inCondition reports whether the last token stands between if and then, on one line.
func inCondition(tokens []ast.Token) bool {
	for i := len(tokens) - 1; i >= 0 && tokens[i].Pos.Line == tokens[len(tokens)-1].Pos.Line; i-- {
		switch tokens[i].Type {
		case parse.TIf, parse.TElseIf, parse.TWhile, parse.TUntil:
			return true
		case parse.TThen, parse.TDo, parse.TFunction, '{':
			return false
		}
	}
	return false
}

func cut40(s string) string {
	if len(s) > 40 {
		return s[:40] + "…"
	}
	return s
}

// tokensTo returns the tokens of a source up to a position, and the one behind it.
func tokensTo(src []byte, at ast.Position) (before []ast.Token, next ast.Token) {
	sc := parse.NewScanner(bytes.NewReader(src), "")
	lx := &parse.Lexer{}
	for {
		tok, err := sc.Scan(lx)
		if err != nil || tok.Type < 0 {
			return before, ast.Token{}
		}
		if tok.Pos.Line > at.Line || tok.Pos.Line == at.Line && tok.Pos.Column > at.Column {
			return before, tok
		}
		lx.PrevTokenType = tok.Type
		before = append(before, tok)
	}
}

// from returns the source from a position on.
func from(src []byte, at ast.Position) []byte {
	line := 1
	for i, c := range src {
		if line == at.Line {
			return src[min(i+max(at.Column-1, 0), len(src)):]
		}
		if c == '\n' {
			line++
		}
	}
	return nil
}

// ForeignGlobal says what to write for a name that other languages have and tool files have not; "" for any other.
func ForeignGlobal(name string) string {
	switch name {
	case "null", "NULL", "None", "undefined", "Nil", "NIL", "none", "NaN":
		if name == "NaN" {
			return "write 0/0"
		}
		return "write nil, or json.null inside JSON data"
	case "True", "TRUE":
		return "write true"
	case "False", "FALSE":
		return "write false"
	case "this":
		return "write self, or the table's name"
	case "console":
		return "write print(…) or log.info(…)"
	case "JSON", "cjson":
		return "write json.encode and json.decode"
	case "continue":
		return foreignWords[name]
	case "bit", "bit32":
		return noBits + " and no library for them"
	case "utf8":
		return "write text.… for what knows letters"
	}
	return ""
}

// wide reports whether a source is UTF-16.
func wide(src []byte) bool {
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		return true
	}
	if len(src) < 4 {
		return false
	}
	head := string(src[:4])
	zeros := strings.Count(head, "\x00")
	return zeros == 2 && (head[0] == 0 && head[2] == 0 || head[1] == 0 && head[3] == 0)
}
