package host

import (
	"errors"
	"strings"
)

// Behavior of a rule or decision.
type Behavior uint8

const (
	Ask Behavior = iota
	Allow
	Deny
)

func (b Behavior) String() string {
	switch b {
	case Allow:
		return "allow"
	case Deny:
		return "deny"
	}
	return "ask"
}

// Rule is one rule on names. Patterns are
//
//	db/query   mcp__db__query        one tool
//	db/*       mcp__db__*  mcp__db   all tools of a server
//	db/get_*   mcp__db__get_*        the tools of a server whose names begin so
//	greet      db_query              one tool, as serve lists it
//	Bash                             one of the CLI's own tools
type Rule struct {
	Pattern  string
	Behavior Behavior
}

// ParseRule reads a rule's pattern. The error says what is wrong with it.
func ParseRule(pattern string, b Behavior) (Rule, error) {
	r := Rule{Pattern: pattern, Behavior: b}
	return r, r.Check()
}

func (r Rule) String() string { return "--" + r.Behavior.String() + " " + r.Pattern }

// target is a pattern taken apart. Server is empty for a name without one; prefix says that tool is the beginning of names.
type target struct {
	server, tool string
	prefix       bool
}

func (r Rule) target() target {
	var t target
	if rest, ok := strings.CutPrefix(r.Pattern, "mcp__"); ok {
		var whole bool
		if t.server, t.tool, whole = strings.Cut(rest, "__"); !whole {
			t.tool = "*"
		}
	} else if server, tool, ok := strings.Cut(r.Pattern, "/"); ok {
		t.server, t.tool = server, tool
	} else {
		t.tool = r.Pattern
		return t
	}
	t.tool, t.prefix = strings.CutSuffix(t.tool, "*")
	return t
}

// Check says what is wrong with the pattern. A rule that cannot be read is refused rather than ignored: it may be a denial.
func (r Rule) Check() error {
	t := r.target()
	bad := errors.New
	switch {
	case r.Pattern == "":
		return bad("want a tool's name, such as db/query")
	case strings.Contains(r.Pattern, "("):
		return bad("rules on arguments of the CLI's own tools belong into its settings; write the name alone")
	case strings.ContainsAny(r.Pattern, " \t,"):
		return bad("one rule a flag, and no spaces in it")
	case r.Pattern == "*" || r.Pattern == "*/*" || r.Pattern == "mcp__*":
		return bad("there is no rule for everything; write one for each server, such as db/*")
	case strings.Contains(t.server, "*"):
		return bad("the server must be named in full; * may stand for tools only, such as db/*")
	case t.server == "" && strings.Contains(t.tool, "*"):
		return bad("* stands for the tools of a server, which must be named, such as db/*")
	case strings.Contains(t.tool, "*"):
		return bad("* may stand only at the end, such as db/* or db/get_*")
	case t.tool == "" && !t.prefix, strings.Contains(t.tool, "/"):
		return bad("want server/tool, such as db/query")
	}
	return nil
}

// matches reports whether the rule is about s.
func (r Rule) matches(s *Subject) bool {
	t := r.target()
	switch {
	case t.server == "":
		return t.tool == s.Plain || s.Name.Server == "" && t.tool == s.Name.Tool
	case t.server != s.Name.Server:
		return false
	case t.prefix:
		return strings.HasPrefix(s.Name.Tool, t.tool)
	}
	return t.tool == s.Name.Tool
}

// ofCLI reports whether the pattern can only be about one of the CLI's own tools: they alone begin with a capital, and have no server.
func (r Rule) ofCLI() bool {
	return r.Pattern != "" && r.Pattern[0] >= 'A' && r.Pattern[0] <= 'Z' && !strings.Contains(r.Pattern, "/")
}
