package cli

import "testing"

func TestWhatWouldHideIsShown(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"plain text stays", "greet: naïve café — 日本語 🎉\n\tnext", "greet: naïve café — 日本語 🎉\n\tnext"},
		{"escape sequences", "\x1b[2Jgone\r\x7f\u009b", `\x1b[2Jgone\x0d\x7f\u009b`},
		{"bytes that are no text", "a\xff\xc3", `a\xff\xc3`},
		{"a replacement character that was typed stays", "a\ufffd", "a\ufffd"},
		{"marks of direction", "a\u202eb\u2066c\u200f", `a\u202eb\u2066c\u200f`},
		{"zero width space, soft hyphen and byte order mark", "a\u200bd\u00adm\ufeffin", `a\u200bd\u00adm\ufeffin`},
		{"separators of lines and paragraphs", "a\u2028b\u2029c", `a\u2028b\u2029c`},
		{"tags, which spell text that nobody sees", "hi\U000e0041\U000e007f", `hi\U000e0041\U000e007f`},
		{"selectors beyond the first sixteen", "é\U000e0100", `é\U000e0100`},
		{"blank letters", "a\u3164b\u115f", `a\u3164b\u115f`},
		{"a joined emoji stays", "👩\u200d💻 ❤\ufe0f\u200d🔥", "👩\u200d💻 ❤\ufe0f\u200d🔥"},
		{"joiners of Persian and Hindi stay", "می\u200cخواهم क्\u200d", "می\u200cخواهم क्\u200d"},
		{"joiners in ASCII", "ad\u200dm\u200cin", `ad\u200dm\u200cin`},
		{"a row of joiners or selectors", "é\u200d\u200d ❤\ufe0f\ufe01", `é` + "\u200d" + `\u200d ❤` + "\ufe0f" + `\ufe01`},
		{"an Arabic number sign is seen, so it stays", "\u0600٣", "\u0600٣"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := visible(tt.text); got != tt.want {
				t.Errorf("visible(%q) = %q, want %q", tt.text, got, tt.want)
			}
		})
	}
	if got := inLine("a\n\tb: error\u2028c.lua"); got != `a\n\tb: error\u2028c.lua` {
		t.Errorf("a name leaves its line: %q", got)
	}
}

func TestALongTextShowsBothEnds(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"what fits stays", "abcdef", "abcdef"},
		{"one character is cut", "abcdefg", "abcd … 1 character … fg"},
		{"several are cut", "äbcdefgh", "äbcd … 2 characters … gh"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := middle(tt.text, 6); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestTheGistOfAFailure(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"one line", "no such place", "no such place"},
		{"the first of many", "no such place\ntry another", "no such place"},
		{"a list shows its first item", "invalid arguments:\n- name: is required\n- age: want an integer\nexpected: name: string", "invalid arguments: name: is required"},
		{"a colon with nothing behind it is dropped", "broken:", "broken"},
		{"a colon with an empty line behind it", "broken:\n\nwhy", "broken: why"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := gist(tt.text); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
