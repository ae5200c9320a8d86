package control

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// SDKVersion is what the CLI is told as the version of the SDK, unless a Command says otherwise.
const SDKVersion = "0.1.0"

// SnapshotFlag is the flag of Command.SnapshotOff, which a CLI names on stderr when it exits because it does not know it.
const SnapshotFlag = "--system-prompt-snapshot"

// Command says how to start the CLI. Zero values are left out of the command line, except that a permission mode is
// always passed. Printing a Command hides what may be secret.
type Command struct {
	Path string   // of the program, as Find returns it
	Dir  string   // working directory; empty: the host's
	Env  []string // "K=V", added to the host's environment

	// Features tells which flags the CLI knows, from Probe; nil: those of a current one. A flag that it does not know
	// would stop it, so it is left out: see Unsupported.
	Features *Features

	SystemPrompt       string
	SystemPromptSet    bool // pass SystemPrompt even when it is empty
	AppendSystemPrompt string
	SettingSources     *string   // "user,project,local"; "" loads none; nil: the CLI's default, which is all
	Tools              *[]string // which built-in tools there are; an empty list: none; nil: all
	AllowedTools       []string  // pre-approved
	DisallowedTools    []string
	Model              string
	FallbackModel      string
	MaxTurns           int
	MaxBudgetUSD       float64
	PermissionMode     string // empty: "default"; current CLIs may otherwise start in "auto"
	AllowSkip          bool   // bypassPermissions may be chosen later (--allow-dangerously-skip-permissions)

	Continue        bool
	Resume          string
	SessionID       string
	ForkSession     bool
	ResumeAt        string // --resume-session-at
	ResumeDropsTurn string

	Settings   string // JSON or a file
	AddDirs    []string
	MCPConfig  string // external servers, {"mcpServers":{…}}; may hold secrets
	StrictMCP  bool
	PluginDirs []string

	MaxThinkingTokens int
	Thinking          string // "adaptive" or "disabled"
	ThinkingDisplay   string // "summarized" or "omitted"
	Effort            string
	Betas             []string
	TaskBudget        int
	JSONSchema        string
	SnapshotOff       bool // --system-prompt-snapshot off: changed schemas reach the model in a running conversation

	ReplayUserMessages bool // echo each prompt when it is taken up; an Ending needs it
	IncludePartial     bool // stream_event lines
	IncludeHookEvents  bool
	Checkpoints        bool // file checkpoints, for rewind_files

	Extra []string // further arguments as they are

	SDKVersion string // what the CLI is told; SDKVersion
	Stderr     func(line string)
}

// Args returns the command line after the program's name.
func (c *Command) Args() []string {
	args, _ := c.flags()
	return args
}

// Unsupported returns the flags that were asked for and left out because the CLI does not know them.
func (c *Command) Unsupported() []string {
	_, left := c.flags()
	return left
}

// flags builds the command line, and the list of what was left out.
func (c *Command) flags() (args, left []string) {
	known := FeaturesOf("")
	known.SnapshotOff = true // it was asked for, and nothing speaks against it
	if c.Features != nil {
		known = *c.Features
	}
	add := func(given bool, flag ...string) {
		if given {
			args = append(args, flag...)
		}
	}
	newer := func(known, given bool, flag ...string) {
		add(known && given, flag...)
		if given && !known {
			left = append(left, flag[0])
		}
	}
	text := func(flag, value string) { add(value != "", flag, value) }
	list := func(flag string, values []string) { add(len(values) > 0, flag, strings.Join(values, ",")) }

	add(true, "--output-format", "stream-json", "--verbose", "--input-format", "stream-json",
		"--permission-prompt-tool", "stdio")
	mode := c.PermissionMode
	if mode == "" {
		mode = "default"
	}
	text("--permission-mode", mode)
	add(c.AllowSkip, "--allow-dangerously-skip-permissions")

	add(c.SystemPromptSet || c.SystemPrompt != "", "--system-prompt", c.SystemPrompt)
	text("--append-system-prompt", c.AppendSystemPrompt)
	if c.SettingSources != nil {
		args = append(args, "--setting-sources="+*c.SettingSources)
	}
	if c.Tools != nil {
		args = append(args, "--tools", strings.Join(*c.Tools, ","))
	}
	list("--allowedTools", c.AllowedTools)
	list("--disallowedTools", c.DisallowedTools)
	text("--model", c.Model)
	text("--fallback-model", c.FallbackModel)
	add(c.MaxTurns > 0, "--max-turns", strconv.Itoa(c.MaxTurns))
	add(c.MaxBudgetUSD > 0, "--max-budget-usd", strconv.FormatFloat(c.MaxBudgetUSD, 'f', -1, 64))

	// The = form, because a value may begin with a dash.
	add(c.Continue, "--continue")
	add(c.Resume != "", "--resume="+c.Resume)
	add(c.SessionID != "", "--session-id="+c.SessionID)
	add(c.ForkSession, "--fork-session")
	add(c.ResumeAt != "", "--resume-session-at="+c.ResumeAt)
	newer(known.DropsTurn, c.ResumeDropsTurn != "", "--resume-drops-turn="+c.ResumeDropsTurn)

	text("--settings", c.Settings)
	for _, dir := range c.AddDirs {
		text("--add-dir", dir)
	}
	text("--mcp-config", c.MCPConfig)
	add(c.StrictMCP, "--strict-mcp-config")
	for _, dir := range c.PluginDirs {
		text("--plugin-dir", dir)
	}

	add(c.MaxThinkingTokens > 0, "--max-thinking-tokens", strconv.Itoa(c.MaxThinkingTokens))
	newer(known.Thinking, c.Thinking != "", "--thinking", c.Thinking)
	newer(known.Thinking, c.ThinkingDisplay != "", "--thinking-display", c.ThinkingDisplay)
	newer(known.Effort, c.Effort != "", "--effort", c.Effort)
	list("--betas", c.Betas)
	newer(known.TaskBudget, c.TaskBudget > 0, "--task-budget", strconv.Itoa(c.TaskBudget))
	text("--json-schema", c.JSONSchema)
	newer(known.SnapshotOff, c.SnapshotOff, SnapshotFlag, "off")

	add(c.ReplayUserMessages, "--replay-user-messages")
	add(c.IncludePartial, "--include-partial-messages")
	newer(known.HookEvents, c.IncludeHookEvents, "--include-hook-events")
	return append(args, c.Extra...), left
}

// environ returns the CLI's environment, given the host's.
func (c *Command) environ(host []string) []string {
	set := func(list []string, name string) bool {
		return slices.ContainsFunc(list, func(kv string) bool { return strings.HasPrefix(kv, name+"=") })
	}
	// Inside a session of the CLI its entry point is the outer one's, and no wish of the user's.
	nested := set(host, "CLAUDECODE")
	env := slices.DeleteFunc(slices.Clone(host), func(kv string) bool {
		return strings.HasPrefix(kv, "CLAUDECODE=") || nested && strings.HasPrefix(kv, "CLAUDE_CODE_ENTRYPOINT=")
	})
	byDefault := func(kv string) {
		if name, _, _ := strings.Cut(kv, "="); !set(env, name) {
			env = append(env, kv)
		}
	}
	byDefault("CLAUDE_CODE_ENTRYPOINT=sdk-go")
	byDefault("CLAUDE_CODE_SDK_READS_SESSION_STATE=1")
	version := c.SDKVersion
	if version == "" {
		version = SDKVersion
	}
	env = append(env, "CLAUDE_AGENT_SDK_VERSION="+version)
	if c.Checkpoints {
		env = append(env, "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING=true")
	}
	if c.Dir != "" {
		if dir, err := filepath.Abs(c.Dir); err == nil {
			env = append(env, "PWD="+dir)
		}
	}
	return append(env, c.Env...) // of two with one name the last counts
}

// Environ returns the environment that the CLI gets: the host's without CLAUDECODE, ours, and Env, which wins.
func (c *Command) Environ() []string { return c.environ(os.Environ()) }

// shown are the flags whose values hold no text of the user's; bare are those without a value.
var (
	shown = []string{
		"--output-format", "--input-format", "--permission-prompt-tool", "--permission-mode", "--model", "--fallback-model",
		"--max-turns", "--max-budget-usd", "--max-thinking-tokens", "--thinking", "--thinking-display", "--effort",
		"--task-budget", SnapshotFlag,
	}
	bare = []string{
		"--verbose", "--allow-dangerously-skip-permissions", "--continue", "--fork-session", "--strict-mcp-config",
		"--replay-user-messages", "--include-partial-messages", "--include-hook-events",
	}
)

// String returns the command line for people, with every value that may be secret shown as "…", and so all of Extra. The
// environment is not part of it.
func (c Command) String() string {
	words := []string{c.Path}
	args := c.Args()
	ours := args[:len(args)-len(c.Extra)]
	for i := 0; i < len(ours); i++ {
		name, _, joined := strings.Cut(ours[i], "=")
		if joined {
			name += "=…"
		}
		words = append(words, name)
		if joined || slices.Contains(bare, name) {
			continue
		}
		i++
		if slices.Contains(shown, name) {
			words = append(words, ours[i])
		} else {
			words = append(words, "…")
		}
	}
	for range c.Extra {
		words = append(words, "…")
	}
	return strings.Join(words, " ")
}

// GoString keeps %#v from printing what String hides.
func (c Command) GoString() string { return c.String() }
