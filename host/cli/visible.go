package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible makes text harmless for a terminal and shows what would hide in it: control characters other than newline and tab, bytes that
// are no UTF-8, and characters that have no shape or change the direction of text are written as escapes. So no text of a tool or a
// model can move the cursor, repaint the screen or say more than what is seen.
func visible(s string) string { return escaped(s, false) }

// inLine is visible for a name, such as that of a file, which must stay on its line: newlines and tabs are written as escapes too.
func inLine(s string) string { return escaped(s, true) }

// oneLine is visible on one line.
func oneLine(s string) string { return strings.ReplaceAll(visible(s), "\n", " ") }

func escaped(s string, lineBreaks bool) string {
	var b strings.Builder
	done := 0 // up to here s is in b
	prev := rune(0)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if to := escape(prev, r, s[i:i+n], lineBreaks); to != "" {
			b.WriteString(s[done:i])
			b.WriteString(to)
			done = i + n
			r = 0
		}
		prev = r
		i += n
	}
	if done == 0 {
		return s
	}
	b.WriteString(s[done:])
	return b.String()
}

// escape returns how the character r, whose bytes are raw, is written after prev (0: after an escape); empty for as it is.
func escape(prev, r rune, raw string, lineBreaks bool) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf(`\x%02x`, raw[0])
	case r == '\n' && lineBreaks:
		return `\n`
	case r == '\t' && lineBreaks:
		return `\t`
	case r == '\n' || r == '\t' || r >= ' ' && r < 0x7f:
		return ""
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case joins(prev, r) || !shapeless(r):
		return ""
	case r <= 0xffff:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// Characters without a shape that emoji and some scripts are spelt with.
const (
	nonJoiner     = '\u200c'
	joiner        = '\u200d'
	firstSelector = '\ufe00'
	lastSelector  = '\ufe0f'
)

// joins reports whether r is a joiner or a selector that changes how the character before it looks. Behind ASCII it changes nothing, and
// one behind another hides something.
func joins(prev, r rune) bool {
	selector := func(r rune) bool { return r >= firstSelector && r <= lastSelector }
	if prev < 0x80 || prev == joiner || prev == nonJoiner {
		return false
	}
	return r == joiner || r == nonJoiner || selector(r) && !selector(prev)
}

// shapeless reports whether a terminal shows nothing for r: controls, format characters (zero width space, marks of direction, tags),
// the separators U+2028 and U+2029, selectors, and letters that are blank.
func shapeless(r rune) bool {
	if unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false // format characters of Arabic and others, which are seen
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// middle cuts a long text in its middle, so that neither its beginning nor its end can hide.
func middle(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	head := most * 2 / 3
	return fmt.Sprintf("%s … %s … %s", string(r[:head]), count(len(r)-most, "character"), string(r[len(r)-(most-head):]))
}
