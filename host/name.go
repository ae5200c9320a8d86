package host

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// ToolName is a tool's name in its parts. The three spellings are never compared with each other: [ToolName.Wire] is for
// the model and the CLI, [ToolName.String] for people, and the plain one of [Info.Plain] for MCP clients that know one server.
type ToolName struct{ Server, Tool string }

// String is how people write it: server/tool, or the bare name of one of the CLI's own tools.
func (n ToolName) String() string {
	if n.Server == "" {
		return n.Tool
	}
	return n.Server + "/" + n.Tool
}

// Wire is how the model and the CLI's rules write it: mcp__server__tool.
func (n ToolName) Wire() string {
	if n.Server == "" {
		return n.Tool
	}
	return "mcp__" + n.Server + "__" + n.Tool
}

// plain is the name for clients that see one server only: tools of the top folder keep their bare name.
func (n ToolName) plain(top string) string {
	if n.Server == top {
		return n.Tool
	}
	return n.Server + "_" + n.Tool
}

// ParseToolName reads mcp__server__tool or server/tool; anything else is the bare name of one of the CLI's own tools.
func ParseToolName(s string) ToolName {
	if rest, ok := strings.CutPrefix(s, "mcp__"); ok {
		if server, tool, ok := strings.Cut(rest, "__"); ok {
			return ToolName{server, tool}
		}
		return ToolName{Tool: s}
	}
	if server, tool, ok := strings.Cut(s, "/"); ok {
		return ToolName{server, tool}
	}
	return ToolName{Tool: s}
}

// maxWire is the longest name that every model API takes, in characters.
const maxWire = 64

var validName = regexp.MustCompile(`^[a-z][a-z0-9_-]*$`)

// check says what is wrong with the name of a Go tool; those of Lua tools are checked when their file is loaded.
func (n ToolName) check() error {
	for _, part := range []struct{ what, name string }{{"server", n.Server}, {"tool", n.Tool}} {
		switch {
		case !validName.MatchString(part.name):
			return fmt.Errorf("%s name %q: want a lower-case letter, then letters, digits, _ or -", part.what, part.name)
		case strings.Contains(part.name, "__"):
			return fmt.Errorf("%s name %q: two underscores in a row separate server and tool", part.what, part.name)
		}
	}
	if len(n.Wire()) > maxWire {
		return fmt.Errorf("name %s: longer than %d characters", n.Wire(), maxWire)
	}
	return nil
}

// UnknownToolError is a name that no tool has, or none that can be called.
type UnknownToolError struct {
	Name string   // as written
	Near []string // tools that may have been meant, nearest first, as people name them
	Why  string   // of a tool that exists and is not enabled: its reason, or "it is not enabled"
	Many bool     // several servers have a tool of that bare name: Near lists them

	Removed bool // there was one of that name until a reload
}

func (e *UnknownToolError) Error() string {
	var b strings.Builder
	switch {
	case e.Many:
		fmt.Fprintf(&b, "tool %q is in several servers: write ", e.Name)
		writeChoice(&b, e.Near)
		return b.String()
	case e.Why != "":
		fmt.Fprintf(&b, "tool %q is not available: %s", e.Name, e.Why)
		return b.String()
	}
	if e.Removed {
		fmt.Fprintf(&b, "tool %q was removed", e.Name)
	} else {
		fmt.Fprintf(&b, "unknown tool %q", e.Name)
	}
	if len(e.Near) > 0 {
		b.WriteString(": did you mean ")
		writeChoice(&b, e.Near)
		b.WriteString("?")
	}
	return b.String()
}

// writeChoice writes "a, b or c".
func writeChoice(b *strings.Builder, names []string) {
	for i, n := range names {
		switch {
		case i > 0 && i == len(names)-1:
			b.WriteString(" or ")
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(n)
	}
}

// AsUnknownTool reports whether err says that a tool is not there, and how.
func AsUnknownTool(err error) (*UnknownToolError, bool) { return errors.AsType[*UnknownToolError](err) }
