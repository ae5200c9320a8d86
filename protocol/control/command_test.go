package control

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const (
	always    = "--output-format stream-json --verbose --input-format stream-json --permission-prompt-tool stdio"
	byDefault = always + " --permission-mode default"
)

func TestTheCommandLine(t *testing.T) {
	str := func(s string) *string { return &s }
	list := func(s ...string) *[]string { return &s }
	old := FeaturesOf("2.1.33")
	for _, tt := range []struct {
		name string
		c    Command
		want string // words joined by spaces, an empty one shown as ""
		left string
	}{
		{"nothing is passed for what is unset, but a mode always is", Command{}, byDefault, ""},
		{"the mode that was asked for", Command{PermissionMode: "plan"}, always + " --permission-mode plan", ""},
		{"an empty system prompt only when it was set", Command{SystemPromptSet: true}, byDefault + ` --system-prompt ""`, ""},
		{"a system prompt", Command{SystemPrompt: "Be brief."}, byDefault + " --system-prompt Be brief.", ""},
		{"no setting sources", Command{SettingSources: str("")}, byDefault + " --setting-sources=", ""},
		{"some setting sources", Command{SettingSources: str("user,project")}, byDefault + " --setting-sources=user,project", ""},
		{"no built-in tools", Command{Tools: list()}, byDefault + ` --tools ""`, ""},
		{"some built-in tools", Command{Tools: list("Read", "Grep")}, byDefault + " --tools Read,Grep", ""},
		{"rules for tools", Command{AllowedTools: []string{"Read", "mcp__db__*"}, DisallowedTools: []string{"Bash"}}, byDefault + " --allowedTools Read,mcp__db__* --disallowedTools Bash", ""},
		{"model and limits", Command{Model: "haiku", FallbackModel: "opus", MaxTurns: 3, MaxBudgetUSD: 0.25}, byDefault + " --model haiku --fallback-model opus --max-turns 3 --max-budget-usd 0.25", ""},
		{"sessions in the = form, for a value may begin with a dash",
			Command{Continue: true, Resume: "-x", SessionID: "s", ForkSession: true, ResumeAt: "a", ResumeDropsTurn: "d"},
			byDefault + " --continue --resume=-x --session-id=s --fork-session --resume-session-at=a --resume-drops-turn=d", ""},
		{"files and servers", Command{Settings: "{}", AddDirs: []string{"a", "b"}, MCPConfig: "{}", StrictMCP: true, PluginDirs: []string{"p"}},
			byDefault + " --settings {} --add-dir a --add-dir b --mcp-config {} --strict-mcp-config --plugin-dir p", ""},
		{"thinking and output", Command{MaxThinkingTokens: 5, Thinking: "adaptive", ThinkingDisplay: "omitted", Effort: "high", Betas: []string{"a", "b"}, TaskBudget: 9, JSONSchema: "{}", SnapshotOff: true},
			byDefault + " --max-thinking-tokens 5 --thinking adaptive --thinking-display omitted --effort high --betas a,b --task-budget 9 --json-schema {} --system-prompt-snapshot off", ""},
		{"what the stream carries", Command{AppendSystemPrompt: "x", AllowSkip: true, ReplayUserMessages: true, IncludePartial: true, IncludeHookEvents: true},
			byDefault + " --allow-dangerously-skip-permissions --append-system-prompt x --replay-user-messages --include-partial-messages --include-hook-events", ""},
		{"further arguments stand last, as they are", Command{Model: "m", Extra: []string{"--debug", "-x=1"}}, byDefault + " --model m --debug -x=1", ""},
		{"an old CLI would stop at a flag that it does not know, so it is left out and reported",
			Command{Features: &old, Thinking: "disabled", ThinkingDisplay: "omitted", Effort: "low", TaskBudget: 1, IncludeHookEvents: true, ResumeDropsTurn: "d", SnapshotOff: true, MaxThinkingTokens: 5},
			byDefault + " --max-thinking-tokens 5",
			"--resume-drops-turn=d --thinking --thinking-display --effort --task-budget --system-prompt-snapshot --include-hook-events"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			words := slices.Clone(tt.c.Args())
			for i, w := range words {
				if w == "" {
					words[i] = `""`
				}
			}
			if got := strings.Join(words, " "); got != tt.want {
				t.Errorf("Args\ngot  %s\nwant %s", got, tt.want)
			}
			if got := strings.Join(tt.c.Unsupported(), " "); got != tt.left {
				t.Errorf("Unsupported = %s, want %s", got, tt.left)
			}
		})
	}
}

func TestPrintingACommandHidesWhatMayBeSecret(t *testing.T) {
	c := Command{
		Path: "/bin/claude", Model: "haiku", MCPConfig: "s3cret", Settings: "s3cret", SystemPrompt: "s3cret", AppendSystemPrompt: "--s3cret",
		Resume: "s3cret", JSONSchema: "s3cret", Env: []string{"KEY=s3cret"}, Extra: []string{"--header=s3cret", "--header", "s3cret", "s3cret"},
		AllowedTools: []string{"Bash(s3cret)"},
	}
	for _, format := range []string{"%s", "%v", "%+v", "%#v"} {
		for _, v := range []any{c, &c} {
			got := fmt.Sprintf(format, v)
			if strings.Contains(got, "s3cret") {
				t.Errorf("%s of %T shows a secret: %s", format, v, got)
			}
			if !strings.Contains(got, "--model haiku") || !strings.Contains(got, "--mcp-config …") {
				t.Errorf("%s of %T hides too much: %s", format, v, got)
			}
		}
	}
}

func TestTheEnvironment(t *testing.T) {
	abs, _ := filepath.Abs("sub")
	for _, tt := range []struct {
		name string
		host []string
		c    Command
		want map[string]string // "-": absent
	}{
		{"ours is added to the host's", []string{"HOME=/h"}, Command{},
			map[string]string{"HOME": "/h", "CLAUDE_CODE_ENTRYPOINT": "sdk-go", "CLAUDE_AGENT_SDK_VERSION": SDKVersion, "CLAUDE_CODE_SDK_READS_SESSION_STATE": "1", "PWD": "-", "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING": "-"}},
		{"a session inside a session is none", []string{"CLAUDECODE=1", "CLAUDE_CODE_ENTRYPOINT=cli"}, Command{},
			map[string]string{"CLAUDECODE": "-", "CLAUDE_CODE_ENTRYPOINT": "sdk-go"}},
		{"what the user exported stays", []string{"CLAUDE_CODE_ENTRYPOINT=mine", "CLAUDE_CODE_SDK_READS_SESSION_STATE=0", "CLAUDECODE_X=1"}, Command{},
			map[string]string{"CLAUDE_CODE_ENTRYPOINT": "mine", "CLAUDE_CODE_SDK_READS_SESSION_STATE": "0", "CLAUDECODE_X": "1"}},
		{"what the command says wins", []string{"A=1", "CLAUDE_CODE_ENTRYPOINT=x"}, Command{Env: []string{"A=2", "CLAUDE_CODE_ENTRYPOINT=y", "CLAUDE_CODE_SDK_READS_SESSION_STATE=0"}},
			map[string]string{"A": "2", "CLAUDE_CODE_ENTRYPOINT": "y", "CLAUDE_CODE_SDK_READS_SESSION_STATE": "0"}},
		{"PWD is the working directory", []string{"PWD=/elsewhere"}, Command{Dir: "sub"}, map[string]string{"PWD": abs}},
		{"checkpoints and the version", nil, Command{Checkpoints: true, SDKVersion: "9.9"},
			map[string]string{"CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING": "true", "CLAUDE_AGENT_SDK_VERSION": "9.9"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before := slices.Clone(tt.host)
			got := map[string]string{}
			for _, kv := range tt.c.environ(tt.host) {
				k, v, _ := strings.Cut(kv, "=")
				got[k] = v // the last counts, as for a process
			}
			for k, want := range tt.want {
				if v, there := got[k]; !there && want != "-" || there && v != want {
					t.Errorf("%s = %q (%v), want %q", k, v, there, want)
				}
			}
			if !reflect.DeepEqual(tt.host, before) {
				t.Error("the host's list was changed")
			}
		})
	}
}

func TestFind(t *testing.T) {
	home, bin := t.TempDir(), t.TempDir()
	program := func(path string) string {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		return path
	}
	local := program(filepath.Join(home, ".local/bin/claude"))
	onPath := program(filepath.Join(bin, "claude"))
	other := program(filepath.Join(bin, "other"))
	plain := filepath.Join(bin, "plain")
	if err := os.WriteFile(plain, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, explicit, env, path, home, want, says string
	}{
		{"a path", other, "", "", "", other, ""},
		{"a name is looked up on PATH", "other", "", bin, "", other, ""},
		{"the explicit one is before the environment's", other, onPath, bin, "", other, ""},
		{"the environment's is before PATH", "", other, bin, "", other, ""},
		{"PATH is before the usual places", "", "", bin, home, onPath, ""},
		{"the usual places are last", "", "", "", home, local, ""},
		{"one that was named and is missing is an error, whatever else there is", filepath.Join(bin, "gone"), "", bin, home, "", "does not exist"},
		{"one that may not be executed is named so", plain, "", bin, home, "", "may not be executed"},
		{"the environment's too", "", "gone", bin, home, "", "LUATOOLS_CLAUDE"},
		{"none at all", "", "", "", t.TempDir(), "", "npm install"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("LUATOOLS_CLAUDE", tt.env)
			t.Setenv("PATH", tt.path)
			t.Setenv("HOME", tt.home)
			got, err := Find(tt.explicit)
			if tt.want != "" {
				if got != tt.want || err != nil {
					t.Errorf("Find = %q, %v; want %q", got, err, tt.want)
				}
				return
			}
			if !isNotFound(err) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("Find = %q, %v; want ErrNotFound with %q", got, err, tt.says)
			}
		})
	}
	t.Run("a relative path becomes absolute, because the CLI may start elsewhere", func(t *testing.T) {
		t.Chdir(bin)
		got, err := Find("./other")
		if err != nil || !filepath.IsAbs(got) {
			t.Errorf("Find = %q, %v", got, err)
		}
	})
}
