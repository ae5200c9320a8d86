package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/luatools/luatools/host"
	"github.com/luatools/luatools/scripts"
)

// open makes the host of the command: the folder, the rules, and who is asked. The faults of the folder are told on stderr;
// the tools beside them are served all the same.
func (a *app) open(o host.Options) (*host.Host, int) {
	o.Policy = a.opt.policy
	o.CallTimeout = a.opt.timeout
	if a.opt.verbose {
		o.Leftover = func(tool, text string) { a.sayf("%s: %s", tool, text) }
	}
	h, code := a.load(o)
	if code != exitOK {
		return nil, code
	}
	a.problems(h.Snapshot())
	for _, w := range h.Warnings() {
		a.notef("warning: %s", w)
	}
	return h, exitOK
}

// load makes a host of the folder and says nothing of its faults.
func (a *app) load(o host.Options) (*host.Host, int) {
	if code := a.folder(); code != exitOK {
		return nil, code
	}
	o.Dir = a.opt.tools
	o.Server = a.opt.server
	o.Limits = a.opt.limits
	o.NoReuse = a.opt.reuse == "off"
	h, err := host.New(o)
	if err != nil && strings.HasPrefix(err.Error(), fmt.Sprintf("%q cannot name a server", o.Server)) {
		return nil, a.misuse("--server: %s", err)
	}
	if err != nil {
		return nil, a.fail(exitFailed, err)
	}
	return h, exitOK
}

// folder checks that the tools folder is there.
func (a *app) folder() int {
	info, err := os.Stat(a.opt.tools)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return a.misuse("there is no tools folder %q here: make it and put *.lua files in it, or name another with --tools DIR", a.opt.tools)
	case err != nil:
		return a.misuse("--tools %s: %s", a.opt.tools, err)
	case !info.IsDir():
		return a.misuse("--tools %s is a file: name the folder that holds the tool files", a.opt.tools)
	}
	return exitOK
}

// problems tells the faults of the folder in a line each; check shows them in full.
func (a *app) problems(snap *scripts.Snapshot) {
	if a.opt.quiet || snap == nil {
		return
	}
	var told bool
	for _, p := range snap.Problems {
		if p.Warning && !a.opt.verbose {
			continue
		}
		a.sayf("%s", problemLine(p))
		told = true
	}
	errors, _ := tally(snap.Problems)
	switch none := len(snap.Servers) == 0; {
	case none && errors > 0:
		a.sayf("no tool in %s could be loaded: luatools check shows why", inLine(a.opt.tools))
	case told:
		a.sayf("luatools check shows where")
	case none:
		a.sayf("no tools in %s", inLine(a.opt.tools))
	}
}

// problemLine is one fault as compilers write it. Further lines of its message are indented, so that none can pass for another fault.
func problemLine(p *scripts.Error) string {
	kind := "error"
	if p.Warning {
		kind = "warning"
	}
	where := inLine(p.File)
	if p.Line > 0 {
		where += fmt.Sprintf(":%d", p.Line)
		if p.Col > 0 {
			where += fmt.Sprintf(":%d", p.Col)
		}
	}
	return fmt.Sprintf("%s: %s: %s", where, kind, strings.ReplaceAll(p.Message, "\n", "\n  "))
}

// lookup finds the tool that a person named.
func (a *app) lookup(h *host.Host, name string) (host.Info, int) {
	info, err := h.Lookup(name)
	if err == nil {
		return info, exitOK
	}
	var unknown *host.UnknownToolError
	if errors.As(err, &unknown) && len(h.Tools()) == 0 {
		if faults, _ := tally(h.Snapshot().Problems); faults > 0 {
			return info, a.misuse("no tool %q: no tool in %s could be loaded; luatools check shows why", name, inLine(a.opt.tools))
		}
		return info, a.misuse("no tool %q: there are no tools in %s", name, inLine(a.opt.tools))
	}
	return info, a.misuse("%s", err)
}
