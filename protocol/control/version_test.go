package control

import (
	"errors"
	"testing"
)

func isNotFound(err error) bool { return errors.Is(err, ErrNotFound) }

func TestFeaturesOfAVersion(t *testing.T) {
	current := Features{ListChanged: true, AlwaysLoad: true, MaxResultSize: true, UnknownTypes: true, Effort: true, Thinking: true, TaskBudget: true, HookEvents: true, DropsTurn: true}
	with := func(f Features, change func(*Features)) Features {
		change(&f)
		return f
	}
	for _, tt := range []struct {
		name, number, help string
		want               Features
	}{
		{"2.1.33 has none", "2.1.33", "", Features{}},
		{"2.1.329 has all that a version can prove", "2.1.329", "", current},
		{"later ones too", "3.0.0", "", current},
		{"an unknown version counts as current", "", "", current},
		{"and so does what is no version", "banana", "", current},
		{"numbers compare as numbers", "2.1.99", "", Features{MaxResultSize: true, Effort: true}},
		{"a pre-release counts as its version", "2.1.121-beta.2", "", Features{AlwaysLoad: true, MaxResultSize: true, Effort: true}},
		{"a flag in --help is there", "2.1.33", "  --effort <level>   how hard\n  --system-prompt-snapshot <mode>", Features{Effort: true, SnapshotOff: true}},
		{"a flag that begins alike is another one", "2.1.33", "--system-prompt <p> --effortless --thinking-display", Features{}},
		{"the snapshot flag is proven by --help alone", "2.1.329", "--system-prompt-snapshot=<mode>", with(current, func(f *Features) { f.SnapshotOff = true })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := featuresOf(tt.number, tt.help); got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestCapabilitiesWinOverTheVersion(t *testing.T) {
	old, current := FeaturesOf("2.1.33"), FeaturesOf("2.1.329")
	if got := old.WithCapabilities([]string{"x", "sdk_mcp_tools_list_changed"}); !got.ListChanged || got.AlwaysLoad {
		t.Errorf("a listed capability: %+v", got)
	}
	if got := current.WithCapabilities([]string{"interrupt_receipt_v1"}); got.ListChanged || !got.AlwaysLoad {
		t.Errorf("a list without the capability: %+v", got)
	}
	if got := current.WithCapabilities(nil); got != current {
		t.Errorf("no list changes %+v to %+v", current, got)
	}
}

func TestTheVersionStandsFirstOnItsLine(t *testing.T) {
	for _, tt := range []struct{ name, out, want string }{
		{"as the CLI prints it", "2.1.33 (Claude Code)\n", "2.1.33"},
		{"after a warning", "warning: old node 18.1.2\r\n2.1.329 (Claude Code)\r\n", "2.1.329"},
		{"with a suffix", "2.1.330-dev.1\n", "2.1.330-dev.1"},
		{"not in the middle of a line", "node 18.1.2\n", ""},
		{"two numbers are no version", "2.1\n", ""},
		{"nothing", "", ""},
		{"words", "command not found\n", ""},
		{"an overflow", "99999999999999999999.1.1\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := versionIn(tt.out); got != tt.want {
				t.Errorf("versionIn = %q, want %q", got, tt.want)
			}
		})
	}
}
