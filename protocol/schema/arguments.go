package schema

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ArgumentError is a command line whose words are no arguments: a mistake of usage, which says what to write instead.
type ArgumentError struct {
	Word    string // the word at fault
	Problem string
}

func (e *ArgumentError) Error() string { return e.Problem }

// Arguments reads a command line's arguments: one word that is a JSON object, or key=value words. A value is text where the
// schema allows nothing but a string there, else it is read as JSON, and taken as text when it is none. A key given twice
// makes a list, and so does one value for a parameter that must be a list. No words make {}. s may be nil.
// Nothing is judged here: that is Normalize's. Errors are *ArgumentError.
func Arguments(words []string, s *Schema) (json.RawMessage, error) {
	if len(words) == 0 {
		return json.RawMessage("{}"), nil
	}
	if strings.HasPrefix(strings.TrimSpace(words[0]), "{") {
		return objectWord(words)
	}
	var keys []string
	given := map[string][]string{}
	for i, word := range words {
		key, value, ok := strings.Cut(word, "=")
		switch {
		case strings.HasPrefix(word, "--"):
			return nil, &ArgumentError{word, fmt.Sprintf("%s looks like a flag, and flags come before the tool; a parameter is written %s", quote(word), exampleFlag(word, s))}
		case !ok && i > 0:
			return nil, &ArgumentError{word, fmt.Sprintf("%s is not of the form key=value; a value with spaces stands in quotes: %s", quote(word), quotedWord(words[i-1], words[i:]))}
		case !ok || key == "":
			return nil, &ArgumentError{word, fmt.Sprintf("%s is not of the form key=value; write %s, or all arguments as one JSON object in quotes",
				quote(word), exampleWord(word, s))}
		case !utf8.ValidString(word):
			return nil, &ArgumentError{word, fmt.Sprintf("the value of %s is not UTF-8", quote(key))}
		}
		if given[key] == nil {
			keys = append(keys, key)
		}
		given[key] = append(given[key], value)
	}
	dst := []byte{'{'}
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, key), ':')
		dst = appendWords(dst, given[key], s.parameter(key))
	}
	return append(dst, '}'), nil
}

func objectWord(words []string) (json.RawMessage, error) {
	word := strings.TrimSpace(words[0])
	if len(words) > 1 {
		return nil, &ArgumentError{words[1], "a JSON object must be the only argument; put all of it into one pair of quotes: '{\"key\": …}'"}
	}
	if err := check([]byte(word)); err != nil {
		return nil, &ArgumentError{word, fmt.Sprintf("the argument %s begins like a JSON object but cannot be read: %s", quote(word), err)}
	}
	return json.RawMessage(word), nil
}

// quotedWord joins a key=value word with the words behind it that were meant to be of the value.
func quotedWord(word string, rest []string) string {
	key, value, _ := strings.Cut(word, "=")
	for _, more := range rest {
		if strings.Contains(more, "=") {
			break
		}
		value += " " + more
	}
	value = cut(strings.ToValidUTF8(value, "\ufffd"), 60)
	if strings.ContainsAny(value, "'\n\t") {
		return key + "=" + strconv.Quote(value)
	}
	return key + "='" + value + "'"
}

// exampleFlag shows how a word that begins like a flag is written as a parameter.
func exampleFlag(word string, s *Schema) string {
	key, value, given := strings.Cut(strings.TrimLeft(word, "-"), "=")
	if given && key != "" {
		return cut(strings.ToValidUTF8(key+"="+value, "\ufffd"), 60)
	}
	if s.parameter(key) != nil {
		return key + "=value"
	}
	return exampleWord(word, s)
}

// exampleWord shows how the word could have been meant.
func exampleWord(word string, s *Schema) string {
	key := "key"
	if s != nil && len(s.root.fields) > 0 {
		key = s.root.fields[0].name
		for _, f := range s.root.fields {
			if s.root.needs[f.name] {
				key = f.name
				break
			}
		}
	}
	word = strings.Trim(cut(word, 40), "=-")
	if word == "" || word == key {
		word = "value"
	}
	if strings.ContainsAny(word, " \t\n'\"") {
		return key + "=" + strconv.Quote(word)
	}
	return key + "=" + word
}

// parameter returns the node of a parameter, nil when it is not known.
func (s *Schema) parameter(name string) *node {
	if s == nil {
		return nil
	}
	return s.root.child(name)
}

func appendWords(dst []byte, words []string, n *node) []byte {
	list := n != nil && n.accepts&isArray != 0
	if len(words) == 1 {
		if !list || n.accepts&^(isArray|isNull) != 0 {
			return appendWord(dst, words[0], n)
		}
		if text := []byte(strings.TrimSpace(words[0])); check(text) == nil && kindOf(text)&n.accepts != 0 {
			return append(dst, text...)
		}
	}
	var item *node
	if list {
		item = n.elem
	}
	dst = append(dst, '[')
	for i, word := range words {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendWord(dst, word, item)
	}
	return append(dst, ']')
}

func appendWord(dst []byte, word string, n *node) []byte {
	if n != nil && n.accepts != 0 && n.accepts&^(isString|isNull) == 0 {
		return appendString(dst, word)
	}
	text := []byte(strings.TrimSpace(word))
	if len(text) == 0 || check(text) != nil {
		return appendString(dst, word)
	}
	return append(dst, text...)
}
