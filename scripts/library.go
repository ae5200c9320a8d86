package scripts

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/luabind/sandbox"
)

// Options configures a Library. The zero value works.
type Options struct {
	Server string         // name of the server of the top folder; empty: the folder's own name, or "tools" when that does not fit
	Limits sandbox.Limits // of one call; Wall holds where neither tool nor caller set a time

	MaxTimeout time.Duration // what a file gets at most as its timeout; 0: DefaultWall
	MaxResult  int64         // bytes of a result, whatever a file says; 0: luabind.DefaultMaxResult
	MaxSource  int64         // bytes of a file; 0, and at most: 256 KiB

	// NoReuse makes a new Lua state for every call. Otherwise a state serves again when the call before has left nothing in it, which is
	// the same to the tool and faster.
	NoReuse bool
	// Leftover is told, once for each tool (server/name) and each reason, why the state of a call could not serve again. Nil drops it.
	Leftover func(tool, text string)
	// Granted reports whether a tool may have what it declares, when an edit made it ask for more than it had; until then the file serves its
	// last version. Nil grants nothing. It is called during reloads, one call at a time, and must not reload.
	Granted func(server, tool string, p *luabind.Permissions) bool
	Log     func(file, level, text string) // what tools print while they load, by several goroutines at once; nil drops it
}

// Library reads a folder of *.lua files and publishes the result as a Snapshot. It is safe for concurrent use.
type Library struct {
	folder   *folder
	loader   loader
	snapshot atomic.Pointer[Snapshot]

	mu    sync.Mutex // one reload at a time
	shelf shelf
}

// shelf is what the last reload left, for the next one to go on from.
type shelf struct {
	found   *listing
	files   map[string]*entry // by file
	order   []string          // the names of files, sorted
	servers map[string]*serverFile
	modules modules
	had     map[string][]declared // what each tool has declared since the start, by server/name; never changed in place
}

// entry is one tool file of the folder.
type entry struct {
	latest *file // as it is now, loaded or not
	served *file // what the snapshot has of it: latest, or the last good one; nil when there is none
	allow  allowance
	noted  *file  // the served version that allow has
	held   *Error // why latest has to wait for a grant; a warning, nil when it has not
}

// Open loads the folder. A missing folder is an error; a file that does not load is a Problem of the snapshot.
func Open(dir string, o Options) (*Library, error) {
	f, err := openFolder(dir, o.Server)
	if err != nil {
		return nil, err
	}
	f.maxSource = cmp.Or(min(o.MaxSource, maxSource), maxSource)
	mods := luabind.Modules()
	l := &Library{folder: f, loader: loader{env: sandbox.NewEnv(mods), mods: mods, options: o, running: newGate()}}
	if _, err := l.Rescan(context.Background()); err != nil {
		return nil, err
	}
	return l, nil
}

// Snapshot returns the current tools. Never nil.
func (l *Library) Snapshot() *Snapshot { return l.snapshot.Load() }

// Reload looks at the folder again and swaps the snapshot; a file that fails keeps its last good tools. What did not change is not
// loaded again, and where nothing did the snapshot stays the same one. An error means that the folder could not be read, or that
// ctx ended; the snapshot is then as before.
func (l *Library) Reload(ctx context.Context) (*Snapshot, error) {
	_, err := l.Rescan(ctx)
	return l.Snapshot(), err
}

// Rescan is Reload with a report of what changed; that is nil after an error only. A Watch that runs does not report the same again.
func (l *Library) Rescan(ctx context.Context) (*Reload, error) {
	return l.rescan(ctx, time.Now(), (*folder).list)
}

// rescan loads what look finds changed since the listing that it is given. Took counts from began.
func (l *Library) rescan(ctx context.Context, began time.Time, look func(*folder, *listing) (*listing, error)) (*Reload, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	found, err := look(l.folder, l.shelf.found)
	if err != nil {
		return nil, err
	}
	old, prev := l.shelf, l.Snapshot()
	next := shelf{found: found, files: make(map[string]*entry, len(found.sources)), servers: map[string]*serverFile{}, had: old.had}
	var problems []*Error
	next.modules, problems = loadModules(&l.loader, found.sources, old.modules)
	problems = append(problems, found.problems...)
	ld := l.loader
	ld.modules = next.modules
	ld.load(ctx, found, old, &next)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("reload: %w", err)
	}
	next.hold(l.loader.options.Granted)
	snap := assemble(&next, l.folder, problems, found.ignored)
	next.allow()
	l.shelf = next
	if prev == nil {
		snap.Revision = 1
		l.snapshot.Store(snap)
		return &Reload{After: snap, Took: time.Since(began)}, nil
	}
	if prev.same(snap) {
		return &Reload{Before: prev, After: prev, Took: time.Since(began)}, nil
	}
	snap.Revision = prev.Revision + 1
	r := &Reload{Before: prev, After: snap, Took: time.Since(began)}
	r.Changes = r.compare(&old, &next)
	snap.Removed = remember(prev.Removed, r.Changes, began)
	l.snapshot.Store(snap)
	for _, f := range old.served() {
		if e := next.files[f.src.file]; e == nil || e.served != f {
			f.states.retire()
		}
	}
	return r, nil
}

// load fills next with what old has and what must be loaded anew, as many files at once as there are processors.
func (l *loader) load(ctx context.Context, found *listing, old shelf, next *shelf) {
	var todo []func()
	entries := make([]entry, len(found.sources))
	quiet := maps.Equal(l.modules, old.modules) // what files can require is as it was
	for i, src := range found.sources {
		switch src.kind {
		case kindServer:
			if prev := old.servers[src.file]; l.currentServer(prev, src) {
				next.servers[src.file] = prev
			} else {
				next.servers[src.file] = l.server(ctx, src, prev)
			}
		case kindTool:
			e := &entries[i]
			next.order = append(next.order, src.file)
			if prev := old.files[src.file]; prev != nil {
				*e = *prev
			}
			next.files[src.file] = e
			if e.latest != nil && e.latest.src == src && quiet {
				continue
			}
			if !l.current(e.latest, src) {
				todo = append(todo, func() { e.latest = l.file(ctx, src) })
			}
		}
	}
	for name, e := range old.files {
		if next.files[name] == nil && found.hidden(name) {
			copied := *e
			next.files[name] = &copied
			next.order = append(next.order, name)
		}
	}
	for name, f := range old.servers {
		if next.servers[name] == nil && found.hidden(name) {
			next.servers[name] = f
		}
	}
	slices.Sort(next.order)
	inParallel(todo)
}

// inParallel runs all of todo and waits for it.
func inParallel(todo []func()) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(todo)) {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(len(todo)); i = next.Add(1) {
				todo[i-1]()
			}
		})
	}
	wg.Wait()
}

// served lists the files that serve.
func (s *shelf) served() (list []*file) {
	for _, e := range s.files {
		if e.served != nil {
			list = append(list, e.served)
		}
	}
	return list
}

// Close waits for running calls and frees idle states. Calls that come later are refused.
func (l *Library) Close() error {
	l.loader.running.close()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.shelf.served() {
		f.states.retire()
	}
	return nil
}

// same reports whether two snapshots offer and say the same; what differs is never only a revision.
func (s *Snapshot) same(o *Snapshot) bool {
	return slices.Equal(s.files, o.files) && slices.Equal(s.serverFiles, o.serverFiles) &&
		reflect.DeepEqual(s.Problems, o.Problems) && slices.Equal(s.Ignored, o.Ignored)
}
