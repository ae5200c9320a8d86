package cli

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"github.com/luatools/luatools/host"
	"github.com/luatools/luatools/scripts"
)

// pollEach is how often --watch=poll looks at the files.
const pollEach = time.Second

// watchFlag adds --watch.
func watchFlag(a *app, fs *pflag.FlagSet) {
	fs.StringVar(&a.opt.watch, "watch", "events", "`HOW` edits of the tool files are noticed: events, poll (for mounts that send none) or off")
}

// settleWatch checks --watch.
func (o *options) settleWatch() error {
	switch o.watch {
	case "", "events", "poll", "off":
		return nil
	}
	return fmt.Errorf("--watch %q: want events, poll or off", o.watch)
}

// watched reports whether the command follows edits of the tool files.
func (o *options) watched() bool { return o.watch == "events" || o.watch == "poll" }

// watch follows edits of the tool files until the func that it returns is called, which waits for the end of it. Reloads are shown as d shows
// what happens.
func (a *app) watch(ctx context.Context, h *host.Host, d *display) (stop func()) {
	if !a.opt.watched() {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := h.Watch(ctx, a.watchOptions(h, d), d.reloaded); err != nil {
			a.notef("warning: edits of the tool files are not noticed: %s", err)
		}
	})
	return func() {
		cancel()
		wg.Wait()
	}
}

func (a *app) watchOptions(h *host.Host, d *display) scripts.WatchOptions {
	o := scripts.WatchOptions{
		Extra:        []string{a.opt.configPath()},
		ExtraChanged: func(path string) { a.configChanged(h, d, path) },
		Warn:         func(text string) { d.fault("33", "%s", oneLine("warning: "+text)) },
	}
	if a.opt.watch == "poll" {
		o.Poll = pollEach
	}
	return o
}

// reloaded shows what a reload changed, a line each, with a code frame where a file is at fault.
func (d *display) reloaded(r *scripts.Reload) {
	at := time.Now().Format(time.TimeOnly)
	for _, c := range r.Changes {
		mark, colour, line := "✓", "32", d.line
		switch c.Kind {
		case scripts.Failed:
			mark, colour, line = "✗", "31", d.fault
		case scripts.Held:
			mark, colour, line = "!", "33", d.fault
		}
		who := c.Tool
		if who == "" {
			who = c.File
		}
		line(colour, "%s %s %s  %s", at, mark, inLine(who), oneLine(c.Text))
		if c.Problem != nil && c.Problem.Frame != "" {
			line("2", "%s", visible(c.Problem.Frame))
		}
	}
}
