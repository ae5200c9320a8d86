package luabind

import "strings"

// isECMA reports whether an RE2 expression is also one of ECMA-262, read with the u flag as JSON Schema asks. It says no to some that
// are: then clients are not shown the pattern, and the gate checks it all the same.
func isECMA(re string) bool {
	class := false     // inside […]
	assertion := false // the last item was ^, $ or \b, which must not be repeated
	for i := 0; i < len(re); i++ {
		c := re[i]
		was := assertion
		assertion = false
		switch {
		case c == '\\':
			n, ok := escapeECMA(re[i+1:], class)
			if !ok {
				return false
			}
			assertion = !class && strings.ContainsRune("bB", rune(re[i+1]))
			i += n
		case class:
			if c == '[' { // a literal here, a nested class under the v flag
				return false
			}
			class = c != ']'
		case c == '[':
			class = true
			rest := strings.TrimPrefix(re[i+1:], "^")
			if strings.HasPrefix(rest, "]") { // a literal in RE2, the end of an empty class in ECMA
				return false
			}
		case c == ']' || c == '}':
			return false
		case c == '{':
			end := strings.IndexByte(re[i:], '}')
			if was || end < 0 || !isRepeat(re[i+1:i+end]) {
				return false
			}
			i += end
		case c == '*' || c == '+' || c == '?':
			if was {
				return false
			}
		case c == '^' || c == '$':
			assertion = true
		case c == '(' && strings.HasPrefix(re[i+1:], "?"):
			if !strings.HasPrefix(re[i+2:], ":") { // flags and (?P<name>…) are RE2's own
				return false
			}
			i += 2
		}
	}
	return !class
}

// escapeECMA looks at what follows a backslash and returns its length.
func escapeECMA(rest string, class bool) (n int, ok bool) {
	if rest == "" {
		return 0, false
	}
	switch c := rest[0]; {
	case strings.IndexByte("dDwWsStnrfv", c) >= 0:
		return 1, true
	case strings.IndexByte(`^$\.*+?()[]{}|/`, c) >= 0:
		return 1, true
	case c == '-':
		return 1, class
	case c == 'b' || c == 'B':
		return 1, !class
	case c == 'x':
		ok := len(rest) >= 3 && isHex(rest[1]) && isHex(rest[2])
		return 3, ok
	}
	return 0, false
}

func isHex(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }

// isRepeat reports whether text is the inside of {2}, {2,} or {2,5}.
func isRepeat(text string) bool {
	low, high, _ := strings.Cut(text, ",")
	return low != "" && strings.Trim(low+high, "0123456789") == ""
}
