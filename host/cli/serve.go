package cli

import (
	"context"

	"github.com/spf13/pflag"

	"github.com/luatools/luatools/host"
)

var serveCommand = &command{
	name:  "serve",
	short: "serve the tools to any MCP client on stdin and stdout",
	long: `Serves the tools as an MCP server on stdin and stdout until the client closes stdin. Tools of the top folder keep their name,
those of a subfolder are named <folder>_<tool>. Nobody is asked: what would ask is denied with the flag that allows it.`,
	flags: func(a *app, fs *pflag.FlagSet) { watchFlag(a, fs) },
	run:   (*app).serve,
}

func (a *app) serve(args []string) int {
	if len(args) > 0 {
		return a.misuse("serve takes no arguments: name the folder with --tools DIR")
	}
	d := a.display()
	d.quiet = !a.opt.verbose
	stderr, lines := a.err, newLossy(a.err)
	d.w, a.err = lines, lines
	defer func() {
		if lines.close() {
			a.err = stderr
		}
	}()
	h, code := a.open(host.Options{Observer: d, Log: d.log})
	if code != exitOK {
		return code
	}
	defer h.Close()
	ctx, stop, signalled := signals(context.Background())
	defer stop()
	unwatch := a.watch(ctx, h, d)
	defer unwatch()
	err := h.ServeLines(ctx, a.in, a.out)
	if code := signalled(); code != exitOK {
		return code
	}
	if err != nil {
		return a.fail(exitFailed, err)
	}
	return exitOK
}
