package host

import (
	"context"
	"errors"

	"github.com/luatools/luatools/scripts"
)

// ErrNoFolder says that a host has no tools folder that could be watched.
var ErrNoFolder = errors.New("there is no tools folder to watch")

// Watch reloads the tools folder when files in it change, and tells sessions and the clients of ServeLines of lists that differ from the one they
// know. It blocks until ctx is done and returns nil then. report, which may be nil, hears of each reload that changed anything; it must not block for
// long, because nothing is reloaded meanwhile.
//
// A session that is to follow the changes as well as it can needs SessionOptions.Follow.
func (h *Host) Watch(ctx context.Context, o scripts.WatchOptions, report func(*scripts.Reload)) error {
	if h.lib == nil {
		return ErrNoFolder
	}
	return h.lib.Watch(ctx, o, func(r *scripts.Reload) {
		h.reloaded()
		if report != nil {
			report(r)
		}
	})
}

// reloaded brings the registry to the newest snapshot.
func (h *Host) reloaded() { h.registry() }
