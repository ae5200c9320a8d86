package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/luatools/luatools/host"
	"github.com/luatools/luatools/scripts"
)

// configName is the file beside the tools folder that configures it.
const configName = "luatools.lua"

// configure reads the configuration: the file that --config names, or else the luatools.lua beside the tools folder. What a flag or a variable
// says stands.
func (a *app) configure() int {
	o := &a.opt
	o.policy.Rules, o.limits = o.flagRules, o.flagLimits
	if o.config != "" && !a.flags.Changed("tools") {
		o.tools = filepath.Join(filepath.Dir(o.config), "tools")
	}
	file := o.configPath()
	if _, err := os.Stat(file); o.config == "" && errors.Is(err, fs.ErrNotExist) {
		return exitOK
	}
	if err := a.readConfig(file); err != nil {
		a.configFault(err)
		return exitUsage
	}
	return exitOK
}

// configPath is where the configuration lies, or would lie.
func (o *options) configPath() string {
	if o.config != "" {
		return o.config
	}
	return filepath.Join(filepath.Dir(o.tools), configName)
}

// readConfig takes over what a configuration says. An error leaves everything as it was.
func (a *app) readConfig(file string) error {
	o := &a.opt
	c, err := scripts.LoadConfig(file)
	if err != nil {
		return err
	}
	rules := slices.Clone(o.flagRules)
	var dropped []string
	for _, r := range c.Rules {
		rule, err := host.ParseRule(r.Pattern, behaviors[r.Behavior])
		if err != nil {
			return fmt.Errorf("%s:%d: %s %q: %w", file, r.Line, r.Behavior, r.Pattern, err)
		}
		// A file that was found may have come with a clone: it can tighten what tools may do, not loosen it.
		if o.config == "" && rule.Behavior == host.Allow {
			dropped = append(dropped, r.Pattern)
			continue
		}
		rules = append(rules, rule)
	}
	if len(dropped) > 0 {
		a.notef("warning: %s was found, not named, so what it allows does not count (%s): name it with --config %s", file, strings.Join(dropped, ", "), file)
	}
	if o.config == "" {
		c.Timeout = min(c.Timeout, scripts.DefaultWall)
		if names := c.Limits.Tighten(); len(names) > 0 {
			a.notef("warning: %s was found, not named, so the limits that it raises do not count (%s): name it with --config %s", file, strings.Join(names, ", "), file)
		}
	}
	o.policy.Rules = rules
	if c.Timeout > 0 && (a.flags.Lookup("timeout") == nil || !a.flags.Changed("timeout")) {
		o.timeout = c.Timeout
	}
	o.limits = o.flagLimits.Or(c.Limits)
	o.configFile = file
	return nil
}

var behaviors = map[string]host.Behavior{"allow": host.Allow, "ask": host.Ask, "deny": host.Deny}

// configFault shows what is wrong with a configuration, with its place where that is known.
func (a *app) configFault(err error) {
	if p, ok := errors.AsType[*scripts.Error](err); ok {
		a.showProblem(p)
		return
	}
	a.sayf("error: %s", err)
}

// configChanged applies a configuration that was edited while the command runs. One that cannot be read, or is gone, leaves the rules as
// they were: a denial must not end because an editor saves in two steps.
func (a *app) configChanged(h *host.Host, d *display, file string) {
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		d.fault("33", "%s", oneLine(file+" is gone: its rules stay until the next start, or until it is back"))
		return
	}
	before := a.opt
	err := a.readConfig(file)
	if err == nil {
		err = h.SetPolicy(a.opt.policy)
	}
	if err != nil {
		a.opt = before
		a.configFault(err)
		d.fault("33", "the rules stay as they were")
		return
	}
	h.SetTimeout(a.opt.timeout)
	d.line("32", "%s", oneLine(file+" was read again"))
	if a.opt.limits != before.limits {
		d.line("33", "its limits hold from the next start on")
		a.opt.limits = before.limits
	}
	for _, w := range h.Warnings() {
		a.notef("warning: %s", w)
	}
}
