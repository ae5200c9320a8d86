package cli

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/luatools/luatools/host"
)

var devCommand = &command{
	name:  "dev",
	short: "watch the tool files and report each reload and each fault",
	long: `Loads the tools, reports their faults as check does, and then each change of a file as it happens: what was reloaded, which parameters
changed, what cannot be loaded and what is served meanwhile. Ends with Ctrl-C.`,
	flags: func(a *app, fs *pflag.FlagSet) { watchFlag(a, fs) },
	run:   (*app).dev,
}

func (a *app) dev(args []string) int {
	if len(args) > 0 {
		return a.misuse("dev takes no arguments: name the folder with --tools DIR")
	}
	if !a.opt.watched() {
		return a.misuse("dev --watch=off has nothing to do: luatools check reports the faults once")
	}
	h, code := a.load(host.Options{})
	if code != exitOK {
		return code
	}
	defer h.Close()
	snap := h.Snapshot()
	for _, p := range snap.Problems {
		a.showProblem(p)
	}
	errors, warnings := tally(snap.Problems)
	d := a.display()
	d.line("36", "watching %s: %s, %s, %s", a.opt.tools, count(len(h.Tools()), "tool"), count(errors, "error"), count(warnings, "warning"))
	ctx, stop, signalled := signals(context.Background())
	defer stop()
	if err := h.Watch(ctx, a.watchOptions(h, d), d.reloaded); err != nil {
		return a.fail(exitFailed, err)
	}
	return signalled()
}
