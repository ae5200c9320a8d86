package host

// Joints that host/cli needs beside those of joints.go; give them bodies and delete this file. Info needs a further field:
// Schema *schema.Schema // of the input, for reading a command line's arguments.

// Version is the version of luatools; release builds set it with -ldflags -X.
var Version = "dev"

// ParseRule reads a rule's pattern: "db/query", "db/*", "mcp__db__query", "Bash". The error says what is wrong with it.
func ParseRule(pattern string, b Behavior) (Rule, error) { return Rule{Pattern: pattern, Behavior: b}, nil }

// Warnings returns what the host has to say to its operator after New: rules that match no tool, with near misses.
func (h *Host) Warnings() []string { return nil }
