package scripts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Error is a fault in a file, for its author.
type Error struct {
	File      string // relative, as in Tool.File
	Line, Col int    // 1-based, Col in bytes; 0 when unknown
	Warning   bool   // the file serves all the same
	Message   string
	Frame     string // code frame of some lines with a marker, ends without newline
	Traceback string // of a Lua error at load; empty for other faults
}

// Error returns "file:line:col: message", as far as known.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d", e.Line)
		if e.Col > 0 {
			fmt.Fprintf(&b, ":%d", e.Col)
		}
	}
	b.WriteString(": ")
	b.WriteString(e.Message)
	return b.String()
}

func compareErrors(a, b *Error) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), cmp.Compare(a.Message, b.Message))
}

// sortErrors sorts by place and drops what is said twice.
func sortErrors(list []*Error) []*Error {
	slices.SortFunc(list, compareErrors)
	return slices.CompactFunc(list, func(a, b *Error) bool { return compareErrors(a, b) == 0 && a.Warning == b.Warning })
}

func failed(list []*Error) bool {
	return slices.ContainsFunc(list, func(e *Error) bool { return !e.Warning })
}

// maxFrameLine is how much of a line a frame shows, in characters.
const maxFrameLine = 120

// frame draws the lines around line with a marker of width bytes under col:
//
//	2 │ return tool{
//	3 │   descripton = "Run one query",
//	  │   ^^^^^^^^^^
//	4 │   run = function(args)
//
// It is empty when src has no such line. Control characters do not reach the terminal.
func frame(src string, line, col, width int) string {
	lines := sourceLines(strings.TrimPrefix(src, "\xef\xbb\xbf"))
	if line < 1 || line > len(lines) {
		return ""
	}
	first, last := max(1, line-1), min(len(lines), line+1)
	gutter := len(strconv.Itoa(last))
	var b strings.Builder
	for n := first; n <= last; n++ {
		text, marker := frameLine(lines[n-1], col, width)
		b.WriteString(strings.TrimRight(fmt.Sprintf("%*d │ %s", gutter, n, text), " "))
		b.WriteByte('\n')
		if n == line && marker != "" {
			fmt.Fprintf(&b, "%*s │ %s\n", gutter, "", marker)
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// frameLine returns a line fit to be shown, and the marker that goes under it.
func frameLine(line string, col, width int) (text, marker string) {
	var t, m strings.Builder
	shown := 0
	for i := 0; i < len(line) && shown < maxFrameLine; {
		r, size := utf8.DecodeRuneInString(line[i:])
		cells := 1
		switch {
		case r == '\t':
			t.WriteString("  ")
			cells = 2
		case r < ' ' || r == utf8.RuneError || r >= 0x7f && r < 0xa0 || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff:
			t.WriteByte('?')
		default:
			t.WriteRune(r)
		}
		sign := " "
		if col > 0 && i+size >= col && i+1 < col+max(width, 1) {
			sign = "^"
		}
		m.WriteString(strings.Repeat(sign, cells))
		shown += cells
		i += size
	}
	if col == len(line)+1 && shown < maxFrameLine { // an error at the end of the line
		m.WriteByte('^')
	}
	return t.String(), strings.TrimRight(m.String(), " ")
}

// sourceLines splits as the Lua scanner counts: \n, \r, \r\n and \n\r each end one line.
func sourceLines(src string) []string {
	var lines []string
	start := 0
	for i := 0; i < len(src); i++ {
		c := src[i]
		if c != '\n' && c != '\r' {
			continue
		}
		lines = append(lines, src[start:i])
		if i+1 < len(src) && (src[i+1] == '\n' || src[i+1] == '\r') && src[i+1] != c {
			i++
		}
		start = i + 1
	}
	return append(lines, src[start:])
}
