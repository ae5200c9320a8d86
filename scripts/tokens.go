package scripts

import (
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// The syntax tree knows lines and no columns; the tokens know both. They are read again only when there is a fault to show.

// tokens reads src up to its end or the first thing that is no token.
func tokens(src string) (list []ast.Token) {
	defer func() {
		if recover() != nil {
			list = nil // no columns then
		}
	}()
	sc := parse.NewScanner(strings.NewReader(strings.TrimPrefix(src, "\xef\xbb\xbf")), "")
	var lexer parse.Lexer
	for {
		tok, err := sc.Scan(&lexer)
		if err != nil || tok.Type == parse.EOF {
			return list
		}
		lexer.PrevTokenType = tok.Type
		list = append(list, tok)
	}
}

// columnOf returns the column of the nth (from 0) name on a line that stands where field says: as a field of a table, or as a variable.
// It is 0 when there is none.
func columnOf(src, name string, line, nth int, field bool) int {
	var open []int // brackets around the token
	list := tokens(src)
	for i, tok := range list {
		switch tok.Type {
		case '{', '(', '[', parse.TFunction, parse.TDo, parse.TIf, parse.TRepeat:
			open = append(open, tok.Type)
		case '}', ')', ']', parse.TEnd, parse.TUntil:
			open = open[:max(len(open)-1, 0)]
		}
		if tok.Pos.Line != line || tok.Str != name || tok.Type != parse.TIdent && !(field && tok.Type == parse.TString) {
			continue
		}
		if before(list, i, '.') || before(list, i, ':') || isField(list, i, open) != field {
			continue
		}
		if nth == 0 {
			return tok.Pos.Column
		}
		nth--
	}
	return 0
}

func before(list []ast.Token, i, kind int) bool { return i > 0 && list[i-1].Type == kind }

// isField reports whether token i is the name of a field: name = … or ["name"] = … directly in a table.
func isField(list []ast.Token, i int, open []int) bool {
	if list[i].Type == parse.TString {
		return before(list, i, '[') && i+2 < len(list) && list[i+1].Type == ']' && list[i+2].Type == '='
	}
	return len(open) > 0 && open[len(open)-1] == '{' && i+1 < len(list) && list[i+1].Type == '='
}
