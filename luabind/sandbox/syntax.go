package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// What a source may hold. The parser's stack and the compiler's recursion grow with the nesting, and a Go stack that overflows cannot be
// recovered; the compiler looks constants, labels and gotos up one by one, so their number squared is its time.
const (
	MaxSource    = 256 << 10 // bytes
	maxNesting   = 200       // brackets, blocks and functions inside one another; unary operators in a row
	maxPowers    = 200       // ^ in one source: they are right-associative and wait on the parser's stack
	maxConcats   = 20_000    // .. in one source, for the same reason
	maxFunctions = 2_000     // the compiler takes some 16 KB for each while it works
	maxLabels    = 500       // labels, and gotos, in one source
)

// SyntaxError is a fault in a source that was found before it ran.
type SyntaxError struct {
	File      string // as given to Parse or Compile
	Line, Col int    // 1-based; 0 when unknown
	Message   string // one sentence, such as "'end' expected (to close 'if' at line 3) near <eof>"
}

func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Message)
}

// Parse reads a Lua source into a syntax tree that [Compile] accepts. A byte order mark and a first line that begins with # are skipped.
// An error is a *SyntaxError.
func Parse(name string, src []byte) (chunk []ast.Stmt, err error) {
	if len(src) > MaxSource {
		return nil, &SyntaxError{File: name, Line: 1, Message: fmt.Sprintf("the file has %d KiB; at most %d KiB can be loaded", len(src)>>10, MaxSource>>10)}
	}
	if wide(src) {
		return nil, &SyntaxError{File: name, Message: "the file is UTF-16: save it as UTF-8"}
	}
	src = skipHead(src)
	s := scan{file: name, src: src, lines: bytes.Count(src, []byte("\n")) + 1}
	if err := s.run(src); err != nil {
		return nil, err
	}
	chunk, err = parse.Parse(bytes.NewReader(src), name)
	if err != nil {
		return nil, s.explain(err)
	}
	return chunk, nil
}

func skipHead(src []byte) []byte {
	src = bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))
	if !bytes.HasPrefix(src, []byte("#")) {
		return src
	}
	if end := bytes.IndexByte(src, '\n'); end >= 0 {
		return src[end:] // the newline stays, so that lines keep their numbers
	}
	return nil
}

// scan walks the tokens before the parser does, because the parser has no limits.
type scan struct {
	file  string
	src   []byte
	lines int
	open  []opener // brackets and blocks not yet closed
	last  ast.Token
}

type opener struct {
	word string
	line int
}

func (s *scan) run(src []byte) error {
	sc := parse.NewScanner(bytes.NewReader(src), s.file)
	lx := &parse.Lexer{}
	var unary, powers, concats, functions, labels, gotos int
	for {
		tok, err := sc.Scan(lx)
		if err != nil {
			return s.explain(err)
		}
		if tok.Type < 0 {
			return nil
		}
		lx.PrevTokenType, s.last = tok.Type, tok
		switch tok.Type {
		case parse.TNot, '-', '#':
			unary++
		default:
			unary = 0
		}
		switch tok.Type {
		case '^':
			powers++
		case parse.T2Comma:
			concats++
		case parse.TFunction:
			functions++
		case parse.T2Colon:
			labels++
		case parse.TGoto:
			gotos++
		}
		s.nest(tok)
		switch {
		case len(s.open) > maxNesting || unary > maxNesting:
			return s.at(tok, fmt.Sprintf("more than %d levels of nesting", maxNesting))
		case powers > maxPowers:
			return s.at(tok, fmt.Sprintf("more than %d powers in one file", maxPowers))
		case concats > maxConcats:
			return s.at(tok, fmt.Sprintf("more than %d concatenations in one file", maxConcats))
		case functions > maxFunctions:
			return s.at(tok, fmt.Sprintf("more than %d functions in one file", maxFunctions))
		case labels > 2*maxLabels || gotos > maxLabels:
			return s.at(tok, fmt.Sprintf("more than %d labels or gotos in one file", maxLabels))
		}
	}
}

func (s *scan) nest(tok ast.Token) {
	switch tok.Type {
	case '(', '{', '[', parse.TFunction, parse.TDo, parse.TIf, parse.TRepeat:
		s.open = append(s.open, opener{tok.Str, tok.Pos.Line})
	case ')', '}', ']', parse.TEnd, parse.TUntil:
		if n := len(s.open); n > 0 {
			s.open = s.open[:n-1]
		}
	}
}

func (s *scan) at(tok ast.Token, message string) error {
	return &SyntaxError{File: s.file, Line: tok.Pos.Line, Col: tok.Pos.Column, Message: message}
}

// explain puts an error of the parser into the words that Lua users know.
func (s *scan) explain(err error) error {
	pe, ok := errors.AsType[*parse.Error](err)
	if !ok {
		return &SyntaxError{File: s.file, Line: s.lines, Message: "the file cannot be parsed"}
	}
	near := nearText(pe.Token)
	e := &SyntaxError{File: s.file, Line: pe.Pos.Line, Col: pe.Pos.Column}
	atEnd := pe.Pos.Line == parse.EOF
	if atEnd {
		e.Line, e.Col = s.lines, 0
	}
	switch pe.Message {
	case "unterminated string":
		e.Message = "unfinished string near " + near
	case "unterminated multiline string":
		e.Message = "unfinished long string"
	case "invalid multiline comment":
		e.Message = "unfinished long comment"
	case "illegal hexadecimal number":
		e.Message = "malformed number near " + near
	case "Invalid token", "Invalid '~' token":
		e.Message = "unexpected symbol near " + near
		e.Message += inBrackets(foreignSymbol(pe.Token, from(s.src, pe.Pos)))
	case "syntax error", "parse error":
		e.Message = "syntax error near " + near
		if atEnd {
			e.Message = s.unclosed()
		} else {
			e.Message += inBrackets(foreign(s.src, pe.Pos))
		}
	default:
		e.Message = pe.Message
	}
	return e
}

func inBrackets(hint string) string {
	if hint == "" {
		return ""
	}
	return " (" + hint + ")"
}

func (s *scan) unclosed() string {
	if len(s.open) == 0 {
		return "unexpected end of the file"
	}
	o := s.open[len(s.open)-1]
	want := map[string]string{"(": ")", "{": "}", "[": "]", "repeat": "until"}[o.word]
	if want == "" {
		want = "end"
	}
	return fmt.Sprintf("'%s' expected (to close '%s' at line %d) near <eof>", want, o.word, o.line)
}

func nearText(token string) string {
	if token == "" {
		return "<eof>"
	}
	token = strings.ToValidUTF8(token, "?")
	if len(token) > 40 {
		token = strings.ToValidUTF8(token[:40], "") + "…"
	}
	return "'" + token + "'"
}
