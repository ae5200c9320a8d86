package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Call is one line of a prompt that is a call: `greet name=Alice` or `db/query {"sql":"…"}`.
type Call struct {
	Tool      string
	Arguments json.RawMessage
}

// ParseCalls reads a prompt whose every line is a call: a tool's name and arguments as in [Arguments], blank lines aside.
// Values with spaces stand in quotes, as in a shell: '…' as it is, "…" with backslash escapes; a quote opens only at the
// beginning of a word or after its first =. JSON lists and objects may also stand there bare. lookup returns the schema of a
// tool by the name as written, or an error that says why there is none, or not only one, and what may have been meant.
//
// ok is false when the prompt is no list of calls: then it is a prompt like any other. err, with ok true, names the line whose
// arguments cannot be read, or that looks like a call (`gret name=Alice`) of a tool that lookup does not find.
func ParseCalls(prompt string, lookup func(tool string) (json.RawMessage, error)) (calls []Call, ok bool, err error) {
	type line struct {
		number     int
		tool, rest string
		schema     json.RawMessage
		err        error
	}
	var lines []line
	for i, text := range strings.Split(prompt, "\n") {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		tool, rest := text, ""
		if at := strings.IndexAny(text, " \t"); at >= 0 {
			tool, rest = text[:at], strings.TrimSpace(text[at:])
		}
		raw, err := lookup(tool)
		if err != nil && !looksLikeCall(tool, rest) {
			return nil, false, nil
		}
		lines = append(lines, line{i + 1, tool, rest, raw, err})
	}
	for _, l := range lines {
		if l.err != nil {
			return nil, true, fmt.Errorf("line %d: %w", l.number, l.err)
		}
	}
	if len(lines) > 0 && !utf8.ValidString(prompt) {
		return nil, true, errors.New("the prompt is not UTF-8")
	}
	for _, l := range lines {
		args, err := callArguments(l.rest, l.schema)
		if err != nil {
			return nil, true, fmt.Errorf("line %d: %s: %w", l.number, l.tool, err)
		}
		calls = append(calls, Call{l.tool, args})
	}
	return calls, len(calls) > 0, nil
}

// looksLikeCall reports whether the first word of a line could name a tool and all that follows are arguments, at least one.
func looksLikeCall(tool, rest string) bool {
	if !isWord(tool, "_-/") {
		return false
	}
	if strings.HasPrefix(rest, "{") {
		return strings.HasSuffix(rest, "}")
	}
	words, err := splitWords(rest)
	for _, word := range words {
		if key, _, ok := strings.Cut(word, "="); !ok || !isWord(key, "_-.") {
			return false
		}
	}
	return err == nil && len(words) > 0
}

// isWord reports whether s is made of letters, digits and the signs of more, and begins with a letter or a low line.
func isWord(s, more string) bool {
	for i, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || !(c >= '0' && c <= '9') && strings.IndexByte(more, c) < 0) {
			return false
		}
	}
	return s != ""
}

func callArguments(rest string, raw json.RawMessage) (json.RawMessage, error) {
	if strings.HasPrefix(rest, "{") {
		return Arguments([]string{rest}, nil)
	}
	words, err := splitWords(rest)
	if err != nil {
		return nil, err
	}
	s, err := Compile(raw)
	if err != nil {
		s = nil // the schema is the tool's fault: read the words without it
	}
	return Arguments(words, s)
}

// splitWords splits a line into key=value words.
func splitWords(line string) (words []string, err error) {
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return words, nil
		}
		word, rest, err := nextWord(line)
		if err != nil {
			return nil, err
		}
		words, line = append(words, word), rest
	}
}

// nextWord takes one word from line.
func nextWord(line string) (word, rest string, err error) {
	var b strings.Builder
	start := true // where a quote opens
	assigned := false
	for i := 0; i < len(line); {
		c := line[i]
		switch {
		case c == ' ' || c == '\t':
			return b.String(), line[i:], nil
		case start && (c == '\'' || c == '"'):
			text, n, ok := quoted(line[i:])
			if !ok {
				return "", "", &ArgumentError{line, fmt.Sprintf("the quote in %s is not closed", quote(line))}
			}
			b.WriteString(text)
			i += n
			start = false
			continue
		case start && assigned && (c == '[' || c == '{'):
			if n := jsonPrefix(line[i:]); n > 0 {
				b.WriteString(line[i : i+n])
				i += n
				start = false
				continue
			}
		}
		b.WriteByte(c)
		start = c == '=' && !assigned
		assigned = assigned || c == '='
		i++
	}
	return b.String(), "", nil
}

// quoted reads the text in quotes that line begins with, and returns its length with them.
func quoted(line string) (text string, n int, ok bool) {
	mark := line[0]
	var b strings.Builder
	for i := 1; i < len(line); i++ {
		c := line[i]
		switch {
		case c == mark:
			return b.String(), i + 1, true
		case c == '\\' && mark == '"' && i+1 < len(line):
			i++
			switch e := line[i]; e {
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			case 'r':
				b.WriteByte('\r')
			case '"', '\\':
				b.WriteByte(e)
			default:
				b.WriteByte('\\')
				b.WriteByte(e)
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, false
}

// jsonPrefix returns the length of the JSON value that line begins with, when a space or the end follows it.
func jsonPrefix(line string) int {
	r := newReader([]byte(line))
	if !r.skip() || r.i < len(line) && line[r.i] != ' ' && line[r.i] != '\t' {
		return 0
	}
	return r.i
}
