package scripts

import (
	"fmt"
	"strings"
)

// maxWireName is the longest name that the model's API takes for a tool, mcp__<server>__<tool>.
const maxWireName = 64

// validName reports whether s may name a server or a tool: [a-z][a-z0-9_-]* without "__", which separates the two on the wire.
func validName(s string) bool {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return !strings.Contains(s, "__")
}

// validServer is validName for a server, whose name must not run into the separator.
func validServer(s string) bool { return validName(s) && !strings.HasSuffix(s, "_") }

const nameRule = "names are lower-case letters, digits, _ and -, begin with a letter and hold no __"

// lastRule adds what holds for servers alone, where that is what is broken.
func lastRule(server string) string {
	if validName(server) {
		return "; those of servers do not end in _"
	}
	return ""
}

// wireName is the name on the CLI's side.
func wireName(server, tool string) string { return "mcp__" + server + "__" + tool }

// checkNames judges the names of a tool, "" when they are fine.
func checkNames(server, tool string) string {
	if !validName(tool) {
		if fit := fitName(tool); fit != "" {
			return fmt.Sprintf("%q cannot name a tool: %s (%q would do)", tool, nameRule, fit)
		}
		return fmt.Sprintf("%q cannot name a tool: %s", tool, nameRule)
	}
	if wire := wireName(server, tool); len(wire) > maxWireName {
		return fmt.Sprintf("%s is %d characters long, models take %d: shorten the name of the tool or of its folder", wire, len(wire), maxWireName)
	}
	return ""
}

// fitName turns s into a name that fits, or "".
func fitName(s string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(s) {
		switch {
		case r >= 'a' && r <= 'z', b.Len() > 0 && (r >= '0' && r <= '9' || r == '-'):
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	if fit := strings.TrimRight(b.String(), "_-"); validName(fit) {
		return fit
	}
	return ""
}
