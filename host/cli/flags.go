package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/luatools/luatools/host"
	"github.com/luatools/luatools/scripts"
)

// options are the flags that commands share. What a command has beyond them stands beside the command.
type options struct {
	chdir    string
	tools    string
	server   string
	json     bool
	quiet    bool
	verbose  bool
	color    string
	noPrompt bool
	allow    []string
	ask      []string
	deny     []string
	timeout  time.Duration
	trace    string
	watch    string
	config   string
	limit    []string
	reuse    string

	policy     host.Policy
	limits     host.Limits
	flagLimits host.Limits // those of flags and variables, which win over every configuration
	flagRules  []host.Rule // those of flags and variables, which every configuration is joined with
	configFile string      // what was read; empty for none
}

// flagSet makes the flags of c: its own and the shared ones.
func (a *app) flagSet(c *command) *pflag.FlagSet {
	fs := pflag.NewFlagSet(c.name, pflag.ContinueOnError)
	a.flags = fs
	fs.SetOutput(discard{})
	fs.Usage = func() {}
	if c.flags != nil {
		c.flags(a, fs)
	}
	o := &a.opt
	o.timeout = host.DefaultCallTimeout // also for commands without the flag
	fs.StringVarP(&o.chdir, "chdir", "C", "", "work in `DIR`")
	fs.BoolVarP(&o.quiet, "quiet", "q", false, "say nothing on stderr but errors")
	fs.BoolVarP(&o.verbose, "verbose", "v", false, "say more on stderr")
	fs.StringVar(&o.color, "color", "auto", "`WHEN` to colour stderr: auto, always, never (NO_COLOR is honoured)")
	if c == versionCommand {
		return fs
	}
	fs.StringVar(&o.tools, "tools", "tools", "`DIR` that holds the tool files")
	fs.StringVar(&o.server, "server", "", "`NAME` of the server of the files directly in the folder (default: the folder's name)")
	if c != serveCommand && c != devCommand {
		fs.BoolVar(&o.json, "json", false, jsonUsage(c))
	}
	fs.StringVar(&o.config, "config", "", "`FILE` to configure by, instead of the luatools.lua beside the tools folder")
	fs.StringArrayVar(&o.limit, "limit", nil, "bound what tools may use: `NAME=VALUE` such as heap=500MiB or wall=20m; names are "+strings.Join(scripts.LimitNames(), ", "))
	if c == listCommand || c == checkCommand || c == devCommand {
		return fs
	}
	fs.StringArrayVar(&o.allow, "allow", nil, "let tools run without asking: `RULE` is server/tool, server/* or a tool of the CLI such as Bash")
	fs.StringArrayVar(&o.ask, "ask", nil, "ask before these tools run (`RULE` as in --allow; wins over --allow)")
	fs.StringArrayVar(&o.deny, "deny", nil, "never run these tools (`RULE` as in --allow; wins over everything)")
	fs.BoolVar(&o.noPrompt, "no-prompt", false, "ask nobody, also at a terminal: what would ask is denied")
	fs.DurationVar(&o.timeout, "timeout", host.DefaultCallTimeout, "longest `TIME` of one tool call; a tool's own timeout replaces it")
	fs.StringVar(&o.reuse, "reuse", "on", "`WHEN` off, a new Lua state is made for every call; tools see no difference, -v tells where states cannot serve again")
	if c == runCommand {
		fs.StringVar(&o.trace, "trace", "", "keep every line of the session in `FILE`, both ways")
	}
	return fs
}

func jsonUsage(c *command) string {
	switch c {
	case runCommand:
		return "print the raw messages of the session, one JSON object a line"
	case callCommand:
		return "print the whole result object"
	}
	return "print the report as JSON on stdout"
}

// settle checks what flags alone cannot.
func (o *options) settle() error {
	if !slices.Contains([]string{"", "auto", "always", "never"}, o.color) {
		return fmt.Errorf("--color %q: want auto, always or never", o.color)
	}
	if o.timeout <= 0 {
		return fmt.Errorf("--timeout %s: want a positive time, such as 10s", o.timeout)
	}
	if !slices.Contains([]string{"", "on", "off"}, o.reuse) {
		return fmt.Errorf("--reuse %q: want on or off", o.reuse)
	}
	if err := o.settleWatch(); err != nil {
		return err
	}
	for _, l := range o.limit {
		name, value, ok := strings.Cut(l, "=")
		if !ok {
			return fmt.Errorf("--limit %q: want NAME=VALUE, such as heap=500MiB", l)
		}
		if err := o.flagLimits.Set(name, value); err != nil {
			return fmt.Errorf("--limit %s: %w", l, err)
		}
	}
	for _, r := range []struct {
		flag     string
		patterns []string
		behavior host.Behavior
	}{{"--deny", o.deny, host.Deny}, {"--ask", o.ask, host.Ask}, {"--allow", o.allow, host.Allow}} {
		for _, p := range r.patterns {
			rule, err := host.ParseRule(p, r.behavior)
			if err != nil {
				return fmt.Errorf("%s %q: %w", r.flag, p, err)
			}
			o.flagRules = append(o.flagRules, rule)
		}
	}
	return nil
}

// fromEnvironment sets each flag that the command line left alone from its variable: LUATOOLS_NO_PROMPT for --no-prompt.
// Lists are separated by commas; an empty variable counts as unset.
func fromEnvironment(fs *pflag.FlagSet) error {
	var errs []error
	fs.VisitAll(func(f *pflag.Flag) {
		name := "LUATOOLS_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		v, ok := os.LookupEnv(name)
		if !ok || v == "" || f.Changed {
			return
		}
		values := []string{v}
		if f.Value.Type() == "stringArray" {
			values = strings.Split(v, ",")
		}
		for _, v := range values {
			if err := fs.Set(f.Name, strings.TrimSpace(v)); err != nil {
				errs = append(errs, fmt.Errorf("%s: %s", name, flagFault(err, fs)))
			}
		}
	})
	return errors.Join(errs...)
}

// discard swallows what pflag would print by itself.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
