package scripts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

// WatchOptions configures Watch. The zero value works.
type WatchOptions struct {
	// Quiet is how long nothing must change before a reload. Zero means 50 ms. Changes without such a pause are cut into reloads of ten times
	// that.
	Quiet time.Duration

	// Poll looks at the files each so often instead of waiting for events, for mounts that send none. Zero means events.
	Poll time.Duration

	// Extra are further files to watch, such as luatools.lua. They need not exist.
	Extra []string

	// ExtraChanged is told of a path of Extra whose content is not what it was, by the goroutine of Watch, before the reload of
	// the same moment.
	ExtraChanged func(path string)

	// Warn hears what people should know, one sentence a call: there are no events to be had, the folder is gone. Nil drops it.
	Warn func(text string)

	add func(*notifier, string) error // in tests, in place of Watcher.Add
}

// notifier is where events come from.
type notifier = fsnotify.Watcher

// pollInstead is how often files are looked at where no events are to be had.
const pollInstead = time.Second

// pulse is how often Watch makes sure that the folder's path still leads where it led. Only a change high above the folder needs it.
const pulse = time.Second

// maxExtra is how much of a file of Extra is compared, in bytes.
const maxExtra = 1 << 20

// Watch reloads when files change, until ctx is done; then it returns nil. It blocks. It first looks at everything once. changed is called
// after each reload that changed anything, always by the goroutine that called Watch; while it runs, nothing is reloaded.
//
// Folders are watched, not files, so it makes no difference how an editor writes a file. While the tools folder is gone its tools stay as
// they were.
func (l *Library) Watch(ctx context.Context, o WatchOptions, changed func(*Reload)) error {
	w := &watcher{lib: l, o: o, changed: changed, calm: newCalm(o.Quiet), extras: map[string]string{}}
	for i, p := range o.Extra {
		abs, err := filepath.Abs(p)
		if err != nil {
			return fmt.Errorf("watch %s: %w", p, err)
		}
		w.paths = append(w.paths, abs)
		w.extras[o.Extra[i]] = content(abs)
	}
	if o.Poll > 0 {
		return w.poll(ctx, o.Poll)
	}
	err := w.events(ctx)
	if err == nil {
		return nil
	}
	w.warn(fmt.Sprintf("no events for the tools folder (%v): looking at it every %v instead", err, pollInstead))
	return w.poll(ctx, pollInstead)
}

// watcher is one run of Watch. Nothing in it is for a second goroutine.
type watcher struct {
	lib     *Library
	o       WatchOptions
	changed func(*Reload)
	calm    *calm
	paths   []string          // of Extra, absolute
	extras  map[string]string // what they held, by path as given

	notifier *notifier
	root     string              // the tools folder, free of links; empty while it is gone
	identity fs.FileInfo         // of root
	watched  map[string]bool     // folders
	places   map[string][]anchor // outside the tree, and links in it, by path
	links    []string            // files that are read through a link

	// What happened since the last flush.
	moved bool            // folders came, went or moved: watch anew, look at all
	all   bool            // look at all files
	files map[string]bool // look at these, slash paths below root
	extra map[int]bool    // look at these of Extra

	gone bool // people know that the folder cannot be read
}

// anchor is what lies behind a watched path.
type anchor struct {
	file  string // slash path below root; empty for the folder itself, or when extra is given
	extra int    // index of Extra plus one
}

// events waits for events. An error means that there are none to be had.
func (w *watcher) events(ctx context.Context) error {
	n, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	defer n.Close() // waits for the notifier's goroutine
	w.notifier, w.moved = n, true
	ticker := time.NewTicker(pulse)
	defer ticker.Stop()
	if err := w.flush(ctx); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case ev := <-n.Events:
			if w.see(ev) {
				w.calm.touch()
			}
		case <-n.Errors: // most of all the overflow of the queue: whatever was lost, a look at everything finds it
			w.moved = true
			w.calm.touch()
		case <-ticker.C:
			if w.astray() {
				w.moved = true
				w.calm.touch()
			}
		case <-w.calm.over():
			if err := w.flush(ctx); err != nil {
				return err
			}
		}
	}
}

// see notes what an event means, and reports whether it means anything.
func (w *watcher) see(ev fsnotify.Event) (matters bool) {
	for _, p := range w.places[ev.Name] {
		matters = true
		switch {
		case p.extra > 0:
			mark(&w.extra, p.extra-1)
		case p.file != "":
			mark(&w.files, p.file)
		}
		// A write changes what a file holds, everything else may change where a path leads.
		w.moved = w.moved || p == anchor{} || ev.Op&^(fsnotify.Write|fsnotify.Chmod) != 0
	}
	below, ok := strings.CutPrefix(ev.Name, w.root+string(filepath.Separator))
	if w.root == "" || !ok {
		return matters
	}
	if w.watched[ev.Name] {
		if ev.Op&^fsnotify.Write == 0 { // some systems tell so that something in the folder changed, and that apart
			return matters
		}
		w.moved = true
		return true
	}
	if ev.Op&(fsnotify.Create|fsnotify.Chmod) != 0 && w.newFolder(ev.Name) {
		return true
	}
	if strings.HasSuffix(ev.Name, ".lua") {
		mark(&w.files, filepath.ToSlash(below))
		return true
	}
	return matters
}

func mark[K comparable](set *map[K]bool, key K) {
	if *set == nil {
		*set = map[K]bool{}
	}
	(*set)[key] = true
}

// newFolder watches a folder that came, at once: the sooner, the fewer events are missed. The flush looks at all of it anyway.
func (w *watcher) newFolder(name string) bool {
	info, err := os.Lstat(name)
	if err != nil || !info.IsDir() || hiddenFolder(filepath.Base(name)) {
		return false
	}
	_ = w.walk(name) // what is wrong is wrong again at the flush
	w.moved = true
	return true
}

func hiddenFolder(name string) bool { return name[0] == '.' || name[0] == '_' }

// astray reports whether the folder's path does not lead to the watched folder.
func (w *watcher) astray() bool {
	info, err := os.Stat(w.lib.folder.dir)
	if err != nil || w.root == "" {
		return (err == nil) != (w.root != "")
	}
	if !os.SameFile(info, w.identity) {
		return true
	}
	root, err := filepath.EvalSymlinks(w.lib.folder.dir)
	return err == nil && root != w.root
}

// flush reloads what was noted. An error means that there are no events to be had any more.
func (w *watcher) flush(ctx context.Context) error {
	began := time.Now()
	w.calm.next()
	if w.moved {
		w.all = true
		for i := range w.paths {
			mark(&w.extra, i)
		}
		if err := w.rewatch(); err != nil {
			return err
		}
	}
	w.moved = false
	w.flushExtra()
	if w.all || len(w.files) > 0 {
		w.reload(ctx, began)
	}
	return nil
}

func (w *watcher) flushExtra() {
	for i, p := range w.paths {
		if !w.extra[i] {
			continue
		}
		given := w.o.Extra[i]
		if now := content(p); now != w.extras[given] {
			w.extras[given] = now
			if w.o.ExtraChanged != nil {
				w.o.ExtraChanged(given)
			}
		}
	}
	w.extra = nil
}

// content is what a regular file holds, with a mark that tells a missing file from an empty one. Anything else holds nothing that could be
// compared, and reading it may never end.
func content(name string) string {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return "-" + info.Mode().String()
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxExtra))
	if err != nil {
		return ""
	}
	return "+" + string(b)
}

func (w *watcher) reload(ctx context.Context, began time.Time) {
	look := (*folder).list
	if !w.all {
		files := make([]string, 0, len(w.files))
		for p := range w.files {
			files = append(files, p)
		}
		look = func(f *folder, prev *listing) (*listing, error) { return f.update(prev, files) }
	}
	r, err := w.lib.rescan(ctx, began, look)
	if err != nil {
		w.all = true // next time
		if !w.gone && ctx.Err() == nil {
			w.gone = true
			w.warn(err.Error() + "; its tools stay as they were")
		}
		return
	}
	w.all, w.files, w.gone = false, nil, false
	if len(r.Changes) > 0 {
		w.changed(r)
	}
	// A file became a link: where it leads is not watched yet.
	if w.notifier != nil && !slices.Equal(w.lib.links(), w.links) {
		w.moved = true
		w.calm.touch()
	}
}

func (l *Library) links() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shelf.found.links
}

func (w *watcher) warn(text string) {
	if w.o.Warn != nil {
		w.o.Warn(text)
	}
}

// rewatch forgets all watches and sets them as things are now. A watch goes with a folder that is renamed and tells wrong paths from then on;
// nothing but a new start is sure to be right.
func (w *watcher) rewatch() error {
	for p := range w.watched {
		_ = w.notifier.Remove(p) // it may be gone, and its watch with it
	}
	w.watched, w.places = map[string]bool{}, map[string][]anchor{}
	dir := w.lib.folder.dir
	if err := w.follow(dir, anchor{}); err != nil {
		return err
	}
	w.root, w.identity = "", nil
	if root, err := filepath.EvalSymlinks(dir); err == nil {
		if info, err := os.Stat(root); err == nil && info.IsDir() {
			w.root, w.identity = root, info
			if err := w.walk(root); err != nil {
				return err
			}
		}
	}
	for i, p := range w.paths {
		if err := w.follow(p, anchor{extra: i + 1}); err != nil {
			return err
		}
	}
	w.links = w.lib.links()
	for _, p := range w.links {
		if err := w.follow(filepath.Join(dir, filepath.FromSlash(p)), anchor{file: p}); err != nil {
			return err
		}
	}
	return nil
}

// follow watches the folders in which a change would make a path lead elsewhere.
func (w *watcher) follow(name string, behind anchor) error {
	for _, at := range trail(name) {
		if !slices.Contains(w.places[at], behind) {
			w.places[at] = append(w.places[at], behind)
		}
		if err := w.watch(filepath.Dir(at)); err != nil {
			return err
		}
	}
	return nil
}

// walk watches a folder of the tree and those below it. Each is watched before it is read, so that none that comes meanwhile is missed.
func (w *watcher) walk(top string) error {
	deepest := strings.Count(w.root, string(filepath.Separator)) + maxDepth
	return filepath.WalkDir(top, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir // gone, or not to be read
		case err != nil:
			return nil
		case !d.IsDir():
			return nil
		case p != w.root && hiddenFolder(d.Name()), strings.Count(p, string(filepath.Separator)) > deepest:
			return fs.SkipDir
		}
		return w.watch(p)
	})
}

// watch watches one folder. A folder that is gone or closed to us is no error; that there are no watches to be had is.
func (w *watcher) watch(dir string) error {
	if w.watched[dir] {
		return nil
	}
	add := w.o.add
	if add == nil {
		add = (*notifier).Add
	}
	err := add(w.notifier, dir)
	switch {
	case err == nil:
		w.watched[dir] = true
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR):
		return nil
	}
	return fmt.Errorf("watch %s: %w", dir, err)
}

// poll looks at all files each so often.
func (w *watcher) poll(ctx context.Context, every time.Duration) error {
	w.notifier = nil
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var last *listing
	var lastErr error
	w.all = true
	w.calm.touch()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
			for i := range w.paths {
				mark(&w.extra, i)
			}
			w.flushExtra()
			now, err := w.lib.folder.list(last)
			if (err == nil) != (lastErr == nil) || err == nil && !now.same(last) {
				w.all = true
				w.calm.touch()
			}
			if lastErr = err; err == nil {
				last = now
			}
		case <-w.calm.over():
			w.moved = false
			if err := w.flush(ctx); err != nil {
				return err
			}
		}
	}
}
