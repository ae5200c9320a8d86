package schema

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// longestValue is how many characters of a value a message shows.
const longestValue = 80

// cut shortens s to about n characters by leaving out its middle, where the least is lost.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	runes := utf8.RuneCountInString(s)
	if runes <= n {
		return s
	}
	head, tail := n*2/3, n/3
	from, to := runeOffset(s, head), runeOffset(s, runes-tail)
	return s[:from] + "…" + s[to:]
}

func runeOffset(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// quote shows text that came from outside: cut, in double quotes, control characters escaped.
func quote(s string) string { return strconv.Quote(cut(s, longestValue)) }

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

// plainWord reports whether s can stand in a list without quotes.
func plainWord(s string) bool {
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("_-./", c)) {
			return false
		}
	}
	return s != "" && len(s) <= longestValue
}
