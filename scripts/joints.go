package scripts

import (
	"context"
	"errors"
	"time"

)

// WatchOptions configures Watch. The zero value works.
type WatchOptions struct {
	// Quiet is how long nothing must change before a reload. Zero means 50 ms. A stream of changes without a pause is cut after ten times that.
	Quiet time.Duration

	// Poll looks at the files each so often instead of waiting for events, for mounts that send none. Zero means events.
	Poll time.Duration

	// Extra are further files to watch, such as luatools.lua. They need not exist.
	Extra []string

	// ExtraChanged is told of a path of Extra whose content changed, by the goroutine of Watch, before the reload.
	ExtraChanged func(path string)

	// Warn hears what people should know: events are not to be had, the folder is gone. Nil drops it.
	Warn func(text string)
}

// Watch reloads when files change, until ctx is done; then it returns nil. It blocks. changed is called after each reload that changed
// anything, always from the goroutine that called Watch; while it runs nothing is reloaded.
func (l *Library) Watch(ctx context.Context, o WatchOptions, changed func(*Reload)) error {
	return errors.ErrUnsupported
}

// Rescan looks at every file now and says what that changed. A Watch that runs does not report the same again.
func (l *Library) Rescan(ctx context.Context) (*Reload, error) { return nil, errors.ErrUnsupported }

// Reload is what one look at the folder changed.
type Reload struct {
	Before, After *Snapshot
	Changes       []Change      // sorted by tool and file
	Took          time.Duration // from the end of the quiet time to the swap
}

// ChangeKind says what became of a tool or file.
type ChangeKind uint8

// The kinds of changes.
const (
	Added     ChangeKind = iota // a new tool
	Removed                     // a tool that is gone
	Behaviour                   // the code changed, and nothing that clients are shown
	Listed                      // what clients are shown changed: schema or text
	Failed                      // a file cannot be loaded; what it served before is served still
	Recovered                   // a file that had failed loads again
	Held                        // a file asks for more rights than before: what it served before is served still
	Enabled                     // a tool that was not enabled is
	Disabled                    // a tool is not enabled any more
)

// Change is one line of a reload's report.
type Change struct {
	Kind    ChangeKind
	Tool    string // server/tool; empty for a file as a whole
	File    string // as in Tool.File
	Text    string // for people: "schema changed: +limit (integer, default 100)"
	Problem *Error // of Failed and Held, with code frame
}

// String is the change on one line.
func (c Change) String() string { return c.Tool + " " + c.Text }
