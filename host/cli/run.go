package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/luatools/luatools/host"
	"github.com/luatools/luatools/protocol/control"
	"github.com/luatools/luatools/protocol/control/rehearsal"
	"github.com/luatools/luatools/protocol/schema"
)

var runCommand = &command{
	name:  "run",
	args:  "[PROMPT…]",
	short: "open a session with the Claude CLI that has the tools",
	long: `Opens one session with the Claude CLI, gives it the tools of the folder, writes the prompt (the words, or all of stdin when there are
none) and prints the answer. Each --prompt is a further prompt in the same session. Calls and a summary are shown on stderr.

The CLI is the one of --claude, of $LUATOOLS_CLAUDE, on the PATH or in the usual places. Where there is none, or with --rehearse, a rehearsal
agent without a model takes its place: it makes the calls that the prompt spells out, one a line, such as
  luatools run "greet name=Alice"

Questions are put to the person at the terminal, which takes one on stdin and stderr: with the prompt on stdin there is nobody to ask,
and what would ask is denied.

Without --system-prompt and --setting-sources the CLI's own defaults, hooks and rules hold.
Exit: 0 answered · 1 failed · 4 denied · 5 no CLI, or not logged in · 6 the CLI did not answer · 7 turns used up.`,
	flags: runFlags,
	run:   (*app).runSession,
}

// runOptions are the flags of run.
type runOptions struct {
	prompts        []string
	model          string
	maxTurns       int
	permissionMode string
	claude         string
	rehearse       bool
	systemPrompt   string
	settingSources string
	fs             *pflag.FlagSet
}

func runFlags(a *app, fs *pflag.FlagSet) {
	watchFlag(a, fs)
	r := &a.run
	r.fs = fs
	fs.StringArrayVar(&r.prompts, "prompt", nil, "a further prompt `TEXT` for the same session, after the answer to the one before (repeatable)")
	fs.StringVar(&r.model, "model", "", "`MODEL` of the session")
	fs.IntVar(&r.maxTurns, "max-turns", 0, "end the session after `N` turns (0: the CLI's own bound)")
	fs.StringVar(&r.permissionMode, "permission-mode", "default", "`MODE` of the CLI: "+strings.Join(permissionModes, ", "))
	fs.StringVar(&r.claude, "claude", "", "`PATH` of the Claude CLI; nothing else is tried")
	fs.BoolVar(&r.rehearse, "rehearse", false, "use the rehearsal agent, which has no model and makes the calls that the prompt spells out")
	fs.StringVar(&r.systemPrompt, "system-prompt", "", "replace the CLI's system prompt by `TEXT`")
	fs.StringVar(&r.settingSources, "setting-sources", "", "`LIST` of the CLI's settings to load: user, project, local (may be empty)")
}

// permissionModes are what the CLI takes. "prompt" is no mode, and acceptEdits approves edits of files, not tools.
var permissionModes = []string{"default", "manual", "acceptEdits", "plan", "bypassPermissions", "dontAsk", "auto"}

func (a *app) runSession(args []string) int {
	prompts, code := a.prompts(args)
	if code != exitOK {
		return code
	}
	if slices.ContainsFunc(prompts, func(p string) bool { return !utf8.ValidString(p) }) {
		return a.misuse("the prompt is not UTF-8")
	}
	if err := a.run.settle(); err != nil {
		return a.misuse("%s", err)
	}
	trace, err := a.openTrace()
	if err != nil {
		return a.fail(exitUsage, err)
	}
	defer trace.Close()
	d := a.display()
	d.calls = map[string]int{}
	h, code := a.open(host.Options{Observer: d, Log: d.log, Asker: a.asker()})
	if code != exitOK {
		return code
	}
	defer h.Close()

	ctx, stop, signalled := signals(context.Background())
	defer stop()
	o, code := a.sessionOptions(ctx, h, prompts)
	if code != exitOK {
		return code
	}
	o.Conn.Trace = trace.Line
	o.Follow = a.opt.watched()
	unwatch := a.watch(ctx, h, d)
	defer unwatch()
	began := time.Now()
	s, err := h.Start(ctx, o)
	if err != nil {
		if code := signalled(); code != exitOK {
			return code
		}
		return a.startFailed(err, o)
	}
	c := &conversation{a: a, d: d, own: "mcp__", tools: h.Tools, began: began}
	code = c.hold(ctx, s, prompts)
	if err := s.Close(); err != nil && code == exitOK && signalled() == exitOK {
		code = a.fail(exitFailed, err)
	}
	c.summary()
	if code := signalled(); code != exitOK {
		return code
	}
	return code
}

// prompts returns what to ask, in order.
func (a *app) prompts(words []string) ([]string, int) {
	if len(words) > 0 && strings.HasSuffix(words[0], ".lua") {
		return nil, a.misuse("run takes a prompt, not the file %s: luatools call runs one tool, --tools DIR names the folder", words[0])
	}
	var first string
	switch {
	case len(words) > 0:
		first = strings.Join(words, " ")
	case len(a.run.prompts) > 0:
		return a.run.prompts, exitOK
	case isTerminal(a.in):
		return nil, a.misuse("run what? luatools run \"PROMPT\", or the prompt on stdin")
	default:
		b, err := io.ReadAll(a.in)
		if err != nil {
			return nil, a.fail(exitFailed, fmt.Errorf("read the prompt from stdin: %w", err))
		}
		first = string(bytes.TrimSpace(b))
	}
	if strings.TrimSpace(first) == "" {
		return nil, a.misuse("the prompt is empty: luatools run \"PROMPT\", or the prompt on stdin")
	}
	return append([]string{first}, a.run.prompts...), exitOK
}

// settle checks the flags of run.
func (r *runOptions) settle() error {
	if r.maxTurns < 0 {
		return fmt.Errorf("--max-turns %d: want a positive number", r.maxTurns)
	}
	if r.rehearse && r.fs.Changed("claude") {
		return errors.New("--claude and --rehearse exclude each other")
	}
	for _, m := range permissionModes {
		if r.permissionMode == m {
			return nil
		}
	}
	hint := ""
	if r.permissionMode == "prompt" {
		hint = " (asking is \"default\")"
	}
	return fmt.Errorf("--permission-mode %q: want one of %s%s", r.permissionMode, strings.Join(permissionModes, ", "), hint)
}

// sessionOptions finds the CLI, or has the rehearsal agent stand in for it.
func (a *app) sessionOptions(ctx context.Context, h *host.Host, prompts []string) (host.SessionOptions, int) {
	var o host.SessionOptions
	if a.run.rehearse {
		a.notef("rehearsing without a model: --rehearse was given")
		return a.rehearsal(ctx, o), exitOK
	}
	if info, err := os.Stat(a.run.claude); err == nil && info.IsDir() {
		return o, a.fail(exitNoCLI, fmt.Errorf("--claude %s is a folder: name the program, such as %s", a.run.claude, filepath.Join(a.run.claude, "claude")))
	}
	path, err := control.Find(a.run.claude)
	switch {
	case err == nil:
		o.Command = a.command(path)
		return o, exitOK
	case a.run.claude != "":
		return o, a.fail(exitNoCLI, err)
	}
	for _, p := range prompts {
		if !isCall(h, p) {
			a.sayf("error: no Claude CLI was found, and the prompt is no call that could be rehearsed")
			a.sayf("install it with: npm install -g @anthropic-ai/claude-code   (or name it with --claude PATH)")
			a.sayf("without it, luatools run \"TOOL key=value\" makes a call, luatools list shows the tools")
			return o, exitNoCLI
		}
	}
	a.notef("rehearsing without a model: no Claude CLI was found (--claude PATH names one)")
	return a.rehearsal(ctx, o), exitOK
}

// isCall reports whether a prompt spells out calls, so that the rehearsal agent can make them.
func isCall(h *host.Host, prompt string) bool {
	if len(h.Tools()) == 0 {
		return false
	}
	_, ok, err := schema.ParseCalls(prompt, func(name string) (json.RawMessage, error) {
		info, err := h.Lookup(name)
		return info.Tool.InputSchema, err
	})
	return ok || err != nil
}

func (a *app) rehearsal(ctx context.Context, o host.SessionOptions) host.SessionOptions {
	r := &a.run
	o.Peer = rehearsal.Start(ctx, rehearsal.Options{Model: r.model, PermissionMode: r.permissionMode, MaxTurns: r.maxTurns})
	return o
}

// command says how to start the CLI: only what was asked for is passed on.
func (a *app) command(path string) control.Command {
	r := &a.run
	c := control.Command{
		Path:            path,
		Model:           r.model,
		MaxTurns:        r.maxTurns,
		PermissionMode:  r.permissionMode,
		SystemPrompt:    r.systemPrompt,
		SystemPromptSet: r.fs.Changed("system-prompt"),
	}
	if r.fs.Changed("setting-sources") {
		c.SettingSources = &r.settingSources
	}
	if a.opt.verbose {
		c.Stderr = func(line string) { a.sayf("claude: %s", line) }
	}
	return c
}

// startFailed reports a session that did not begin.
func (a *app) startFailed(err error, o host.SessionOptions) int {
	var exit *control.ExitError
	switch {
	case errors.Is(err, control.ErrTimeout):
		return a.fail(exitTimeout, err)
	case errors.As(err, &exit), errors.Is(err, control.ErrClosed), errors.Is(err, control.ErrNotFound):
		a.fail(exitNoCLI, err)
		if o.Command.Path != "" {
			a.sayf("is %s the Claude CLI? luatools speaks with versions 2.1.33 and later", o.Command.Path)
		}
		return exitNoCLI
	}
	return a.fail(exitFailed, err)
}
