package control

import (
	"slices"
	"strconv"
	"strings"
)

// Version is what we know of a CLI.
type Version struct {
	Number   string // such as "2.1.33"; empty when -v said nothing usable
	Features Features
}

// Features is what a CLI can do that others cannot. See [FeaturesOf].
type Features struct {
	ListChanged   bool // lists again on notifications/tools/list_changed
	AlwaysLoad    bool // knows _meta anthropic/alwaysLoad
	MaxResultSize bool // knows _meta anthropic/maxResultSizeChars
	UnknownTypes  bool // passes over lines of unknown type instead of exiting
	SnapshotOff   bool // --system-prompt-snapshot off

	Effort     bool // --effort
	Thinking   bool // --thinking and --thinking-display
	TaskBudget bool // --task-budget
	HookEvents bool // --include-hook-events
	DropsTurn  bool // --resume-drops-turn
}

// versions is the one table of differences between CLIs; nothing else in the program looks at a version. A difference is
// judged by the first of these that says something: the capability in system/init, the flag in --help (its absence says
// nothing: some flags are hidden), the version. A CLI of unknown version counts as a current one.
//
// since is the first version known to have the feature, by a trial (2.1.33 has none, 2.1.329 all) or by the CLI's
// changelog; where it is empty no version is proof.
var versions = []struct {
	feature    func(*Features) *bool
	since      string
	capability string
	flag       string
}{
	{func(f *Features) *bool { return &f.ListChanged }, "2.1.329", "sdk_mcp_tools_list_changed", ""},
	{func(f *Features) *bool { return &f.AlwaysLoad }, "2.1.121", "", ""},
	{func(f *Features) *bool { return &f.MaxResultSize }, "2.1.91", "", ""},
	{func(f *Features) *bool { return &f.UnknownTypes }, "2.1.329", "", ""},
	{func(f *Features) *bool { return &f.SnapshotOff }, "", "", SnapshotFlag},
	{func(f *Features) *bool { return &f.Effort }, "2.1.72", "", "--effort"},
	{func(f *Features) *bool { return &f.Thinking }, "2.1.166", "", "--thinking"},
	{func(f *Features) *bool { return &f.TaskBudget }, "2.1.329", "", "--task-budget"},
	{func(f *Features) *bool { return &f.HookEvents }, "2.1.329", "", "--include-hook-events"},
	{func(f *Features) *bool { return &f.DropsTurn }, "2.1.329", "", "--resume-drops-turn"},
}

// FeaturesOf judges a CLI by its version, such as "2.1.33". What is no version counts as a current one.
func FeaturesOf(number string) Features { return featuresOf(number, "") }

// featuresOf judges a CLI by its version and the text of its --help. Either may be empty.
func featuresOf(number, help string) Features {
	var f Features
	known := parseVersion(number) != nil
	flags := strings.FieldsFunc(help, func(r rune) bool { return strings.ContainsRune(" \t\r\n,=<>[]|", r) })
	for _, v := range versions {
		byFlag := v.flag != "" && slices.Contains(flags, v.flag)
		byVersion := v.since != "" && (!known || !older(number, v.since))
		*v.feature(&f) = byFlag || byVersion
	}
	return f
}

// WithCapabilities corrects f by the capabilities that system/init lists; nil says nothing. The list in the answer to
// initialize is another, short one: it must not be given here.
func (f Features) WithCapabilities(init []string) Features {
	if len(init) == 0 {
		return f
	}
	for _, v := range versions {
		if v.capability != "" {
			*v.feature(&f) = slices.Contains(init, v.capability)
		}
	}
	return f
}

// older reports whether version a comes before b. What is no version is not older than any.
func older(a, b string) bool {
	x, y := parseVersion(a), parseVersion(b)
	return x != nil && slices.Compare(x, y) < 0
}

// parseVersion returns the three numbers of "2.1.33" (what follows them, as "-beta.1", is left out), nil when there are
// no such three.
func parseVersion(s string) []int {
	var out []int
	for part := range strings.SplitSeq(s, ".") {
		end := 0
		for end < len(part) && part[end] >= '0' && part[end] <= '9' {
			end++
		}
		n, err := strconv.Atoi(part[:end])
		if err != nil {
			return nil
		}
		if out = append(out, n); len(out) == 3 {
			return out
		}
		if end < len(part) {
			return nil
		}
	}
	return nil
}

// versionIn returns the version that stands first on a line of what -v printed.
func versionIn(out string) string {
	for line := range strings.Lines(out) {
		first, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		if parseVersion(first) != nil {
			return first
		}
	}
	return ""
}
