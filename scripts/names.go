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

const nameRule = "names are lower-case letters, digits, _ and -, begin with a letter and hold no __"

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

// nearest returns the candidate that name was probably meant to be, or "".
func nearest(name string, candidates []string) string {
	best, limit := "", max(1, len(name)/3)+1
	for _, c := range candidates {
		if d := distance(name, c); d < limit {
			best, limit = c, d
		}
	}
	return best
}

// distance counts the edits between a and b; neighbours that changed places are one edit. What is far apart is only bounded below.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	var rows [3][66]int
	prev2, prev, row := &rows[0], &rows[1], &rows[2]
	for j := range len(b) + 1 {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
