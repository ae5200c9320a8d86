package host

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/luatools/luatools/scripts"
)

// ErrNoFolder says that a host has no tools folder that could be watched.
var ErrNoFolder = errors.New("there is no tools folder to watch")

// Watch reloads the tools folder when files in it change, and tells sessions and the clients of ServeLines of lists that differ from the one they
// know. It blocks until ctx is done and returns nil then. report, which may be nil, hears of each reload that changed anything, one at a time; it
// must not block for long, because nothing is reloaded meanwhile. One Watch runs at a time: a second one takes over the reports.
//
// While it runs, the folder is also looked at after each call of a tool that may have written there, before the call is answered.
// A session that is to follow as well as the CLI lets it needs SessionOptions.Follow.
func (h *Host) Watch(ctx context.Context, o scripts.WatchOptions, report func(*scripts.Reload)) error {
	if h.lib == nil {
		return ErrNoFolder
	}
	h.watch.mu.Lock()
	h.watch.report = report
	h.watch.mu.Unlock()
	h.watch.count.Add(1)
	defer h.watch.count.Add(-1)
	return h.lib.Watch(ctx, o, h.reloaded)
}

// watchers is what Watch leaves for those who look at the folder beside it.
type watchers struct {
	count atomic.Int32 // of Watch calls that run

	mu     sync.Mutex
	report func(*scripts.Reload)

	scan  sync.Mutex // one look at a time
	asked atomic.Uint64
	seen  uint64 // looks asked for up to here are done; guarded by scan
}

// reloaded brings the registry to the newest snapshot and tells everybody whom that concerns.
func (h *Host) reloaded(r *scripts.Reload) {
	h.registry()
	h.followers.poke()
	h.watch.mu.Lock()
	defer h.watch.mu.Unlock()
	if h.watch.report != nil {
		h.watch.report(r)
	}
}

// rescanTime bounds one look at the folder that somebody waits for.
const rescanTime = 5 * time.Second

// rescan looks at the folder now, if it is watched: the watcher's quiet time is too late for a call that is about to be answered. Callers that
// come while one looks share the next look.
func (h *Host) rescan(ctx context.Context) {
	if h.watch.count.Load() == 0 {
		return
	}
	w := &h.watch
	ticket := w.asked.Add(1)
	w.scan.Lock()
	defer w.scan.Unlock()
	if w.seen >= ticket {
		return
	}
	upTo := w.asked.Load()
	ctx, cancel := context.WithTimeout(ctx, rescanTime)
	defer cancel()
	r, err := h.lib.Rescan(ctx)
	if err != nil {
		if ctx.Err() == nil {
			h.log(LogEntry{Level: "error", Text: err.Error()})
		}
		return
	}
	w.seen = upTo
	if r != nil && (len(r.Changes) > 0 || r.Before != r.After) {
		h.reloaded(r)
	}
}

// mayWrite reports whether a call of t may have changed the tools folder.
func (t *tool) mayWrite() bool {
	if t.native != nil {
		return !t.native.ReadOnly
	}
	p := &t.lua.Definition.Permissions
	return len(p.Write) > 0 || len(p.Run) > 0
}
