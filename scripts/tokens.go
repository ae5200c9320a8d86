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

// columnOf returns the column of the nth (from 0) name on a line that stands where want says: as a field (before "=") or as a variable
// (not after "." or ":"). It is 0 when there is none.
func columnOf(src, name string, line, nth int, field bool) int {
	list := tokens(src)
	for i, tok := range list {
		if tok.Pos.Line != line || tok.Str != name || tok.Type != parse.TIdent && !(field && tok.Type == parse.TString) {
			continue
		}
		afterDot := i > 0 && (list[i-1].Type == '.' || list[i-1].Type == ':')
		isField := i+1 < len(list) && (list[i+1].Type == '=' || tok.Type == parse.TString && list[i+1].Type == ']')
		if afterDot || field && !isField {
			continue
		}
		if nth == 0 {
			return tok.Pos.Column
		}
		nth--
	}
	return 0
}
