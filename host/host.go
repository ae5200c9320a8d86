package host

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/luatools/luatools/protocol/mcp"
	"github.com/luatools/luatools/scripts"
)

// Options configures a Host. The zero value is a host without tools.
type Options struct {
	// Dir is the folder of *.lua files. Empty means Go tools only.
	Dir string

	// Server is the name of the server of the files directly in Dir. Empty means the folder's own name.
	Server string

	// Tools are Go tools beside the Lua ones.
	Tools []Tool

	// Policy judges every call. SetPolicy replaces it.
	Policy Policy

	// CallTimeout bounds one call; a tool's own timeout replaces it. Zero means DefaultCallTimeout; negative, no bound. SetTimeout replaces it.
	CallTimeout time.Duration

	// Limits bounds what calls may use; a zero field means its default. Limits.Wall is the longest time that a file gets for a call,
	// whatever its timeout says: by default the longer of scripts.DefaultWall and CallTimeout.
	Limits Limits

	// NoReuse makes a new Lua state for every call; see [scripts.Options].
	NoReuse bool

	// Leftover is told when a call left something behind, so that its state cannot serve again: once for each tool and each thing. It is called
	// by several goroutines at once. Nil means that nobody wants to know.
	Leftover func(tool, text string)

	// Asker asks a person where the policy asks. Nil means that nobody is there, so that such a call is denied.
	Asker Asker

	// Observer sees each call begin and end. Nil means that nobody looks.
	Observer Observer

	// Log takes what tools print and log. It is called by several goroutines at once. Nil drops it.
	Log func(LogEntry)
}

// Limits is what an operator lets tools use.
type Limits = scripts.Limits

// DefaultCallTimeout bounds one call unless Options or the tool say otherwise.
const DefaultCallTimeout = 60 * time.Second

// callTimeout is what an option or SetTimeout asks for; 0 is no bound.
func callTimeout(d time.Duration) time.Duration {
	if d == 0 {
		return DefaultCallTimeout
	}
	return max(d, 0)
}

// Host serves tools. It is safe for concurrent use and starts no goroutine of its own; sessions and ServeLines do.
type Host struct {
	o       Options
	policy  atomic.Pointer[Policy]
	timeout atomic.Int64     // nanoseconds; 0: no bound
	lib     *scripts.Library // nil without a folder
	native  []*tool
	top     string
	line    *line
	prefix  string // of call ids
	calls   atomic.Uint64
	slots   slots

	current atomic.Pointer[registry]
	build   sync.Mutex            // held while the next registry is made
	history map[ToolName]*edition // guarded by build

	watch         watchers
	followers     followers
	noSnapshotOff sync.Map // paths of CLIs that refused --system-prompt-snapshot

	closing  sync.Once
	closeErr error
}

// New opens the folder, joins its tools with the Go tools and checks the rules. A Lua file that does not load is no error: it is
// listed by [scripts.Snapshot.Problems] of [Host.Snapshot]. Two tools of one name are an error that names both places.
func New(o Options) (*Host, error) {
	if err := o.Policy.Check(); err != nil {
		return nil, err
	}
	h := &Host{
		o: o, top: o.Server, line: newLine(o.Asker), prefix: strings.ToLower(rand.Text()[:6]) + "-",
		history: map[ToolName]*edition{},
	}
	bounds := o.Limits.WithDefaults()
	h.slots.most, h.slots.queue = int(bounds.Calls), int(bounds.Queue)
	h.policy.Store(&o.Policy)
	h.timeout.Store(int64(callTimeout(o.CallTimeout)))
	if o.Dir != "" && h.top == "" {
		top, err := topServer(o.Dir)
		if err != nil {
			return nil, err
		}
		h.top = top
	}
	var faults []error
	for i, t := range o.Tools {
		e, err := fromGo(i, t, h.top)
		if err != nil {
			faults = append(faults, err)
			continue
		}
		h.native = append(h.native, e)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	var snap *scripts.Snapshot
	if o.Dir != "" {
		lib, err := scripts.Open(o.Dir, h.libraryOptions())
		if err != nil {
			return nil, err
		}
		h.lib, snap = lib, lib.Snapshot()
	}
	r, clashes := newRegistry(snap, h.top, h.native, nil)
	if len(clashes) > 0 {
		return nil, errors.Join(append(clashes, h.Close())...)
	}
	h.date(r, nil)
	h.current.Store(r)
	return h, nil
}

func (h *Host) libraryOptions() scripts.Options {
	l := h.o.Limits
	o := scripts.Options{Server: h.o.Server, Limits: l.Call(), NoReuse: h.o.NoReuse,
		MaxTimeout: h.wall(), MaxResult: l.Result, MaxSource: l.Source, Leftover: h.o.Leftover}
	o.Limits.Wall = cmp.Or(callTimeout(h.o.CallTimeout), h.wall())
	if h.o.Log != nil {
		o.Log = func(file, level, text string) { h.log(LogEntry{Level: level, Tool: file, Text: text}) }
	}
	return o
}

// wall is the longest time that a file gets for a call.
func (h *Host) wall() time.Duration {
	return cmp.Or(h.o.Limits.Wall, max(scripts.DefaultWall, h.o.CallTimeout))
}

// topServer is the server of the files directly in dir: the folder's own name where it fits.
func topServer(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("tools folder %s: %w", dir, err)
	}
	name := filepath.Base(abs)
	if !validName.MatchString(name) || strings.Contains(name, "__") {
		return "tools", nil
	}
	return name, nil
}

// registry returns the tools of this moment: one atomic load, unless the folder was loaded anew.
func (h *Host) registry() *registry {
	r := h.current.Load()
	if h.lib == nil {
		return r
	}
	if h.lib.Snapshot() != r.snap {
		return h.renew()
	}
	return r
}

// renew makes the registry of a new snapshot. A Lua tool that took the name of a Go tool is left out, and that is logged once.
func (h *Host) renew() *registry {
	h.build.Lock()
	r := h.current.Load()
	var clashes []error
	if snap := h.lib.Snapshot(); r.snap != snap {
		before := r
		r, clashes = newRegistry(snap, h.top, h.native, before)
		h.date(r, before)
		h.current.Store(r)
	}
	h.build.Unlock()
	for _, err := range clashes {
		h.log(LogEntry{Level: "error", Text: err.Error()})
	}
	return r
}

// Snapshot returns the Lua tools at this moment, nil without a folder.
func (h *Host) Snapshot() *scripts.Snapshot {
	if h.lib == nil {
		return nil
	}
	return h.lib.Snapshot()
}

// Warnings returns what the operator should know: rules that are about no loaded tool, with near misses, and tools that cannot be offered
// to the CLI.
func (h *Host) Warnings() []string {
	r := h.registry()
	out := h.policy.Load().warnings(r)
	for _, t := range r.tools {
		if t.noCLI != nil {
			out = append(out, fmt.Sprintf("%s is not offered to the Claude CLI: %v", t.people, t.noCLI))
		}
	}
	return out
}

// SetPolicy replaces the policy, from the next decision on; a call that was judged before is not judged again. An error says what is wrong with a
// rule, and leaves the policy as it was.
func (h *Host) SetPolicy(p Policy) error {
	if err := p.Check(); err != nil {
		return err
	}
	p.Rules = slices.Clone(p.Rules)
	h.policy.Store(&p)
	return nil
}

// SetTimeout replaces Options.CallTimeout, from the next call on.
func (h *Host) SetTimeout(d time.Duration) { h.timeout.Store(int64(callTimeout(d))) }

// Call is a person's own call: it is the go-ahead for what would ask, but deny rules hold. An *UnknownToolError is the only error;
// everything else that goes wrong is a result with IsError.
func (h *Host) Call(ctx context.Context, name ToolName, args json.RawMessage) (*mcp.CallToolResult, error) {
	t, err := h.registry().lookup(name.String())
	if err != nil {
		return nil, err
	}
	if args == nil {
		args = json.RawMessage("{}")
	}
	return h.gate(ctx, &caller{person: true}, t, &mcp.CallToolParams{Name: t.name.Tool, Arguments: args}), nil
}

// Close waits for running calls of Lua tools and frees their states. Sessions are closed before. Further calls of Close do nothing.
func (h *Host) Close() error {
	h.closing.Do(func() {
		if h.lib != nil {
			h.closeErr = h.lib.Close()
		}
	})
	return h.closeErr
}
