package scripts

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stamp tells whether a file is still as it was when it was read, without reading it again. The zero stamp says no.
type stamp struct {
	info    fs.FileInfo
	changed time.Time // of the inode; zero where the system does not tell
	settled bool
}

// settling is how long a file must have been at rest when it was read for its times to be trusted. Times have steps, two seconds on the
// coarsest file systems, and a file that is written twice within one step looks the same both times.
const settling = 2 * time.Second

func newStamp(info fs.FileInfo, now time.Time) stamp {
	s := stamp{info: info, changed: changeTime(info)}
	last := info.ModTime()
	if s.changed.After(last) {
		last = s.changed
	}
	s.settled = now.Sub(last) > settling
	return s
}

// holds reports whether a file that was read with this stamp has the same content now.
func (s stamp) holds(info fs.FileInfo) bool {
	return s.settled && os.SameFile(s.info, info) && s.info.Size() == info.Size() && s.info.ModTime().Equal(info.ModTime()) &&
		s.changed.Equal(changeTime(info))
}

// source returns what the listing has of a file, or nil.
func (l *listing) source(file string) *source {
	i, ok := slices.BinarySearchFunc(l.sources, file, func(s *source, file string) int { return strings.Compare(s.file, file) })
	if !ok {
		return nil
	}
	return l.sources[i]
}

// unchanged returns the source of a file that is as the listing found it, or nil. p is its path below root.
func (l *listing) unchanged(root *os.Root, p, file string) *source {
	if l == nil {
		return nil
	}
	s := l.source(file)
	if s == nil || !s.stamp.settled {
		return nil
	}
	if info, err := root.Stat(filepath.FromSlash(p)); err != nil || !s.stamp.holds(info) {
		return nil
	}
	return s
}

// update looks again at some files, slash paths below the folder, and takes the rest from prev. What it costs depends on those
// files. Where more than files may have changed it looks at all, as list does.
func (f *folder) update(prev *listing, files []string) (*listing, error) {
	if len(prev.unread) > 0 {
		return f.list(prev)
	}
	root, err := f.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	w := &walk{folder: f, root: root, listing: &listing{
		sources: slices.Clone(prev.sources), ignored: slices.Clone(prev.ignored), problems: slices.Clone(prev.problems), links: slices.Clone(prev.links)}}
	for _, p := range files {
		if !w.again(p) {
			return f.list(prev)
		}
	}
	w.sort()
	return w.listing, nil
}

// again replaces what the listing has of one file. It returns false when it is not only a file that changed.
func (w *walk) again(p string) bool {
	var parts []string
	if dir := path.Dir(p); dir != "." {
		parts = strings.Split(dir, "/")
	}
	if slices.ContainsFunc(parts, func(s string) bool { return s[0] == '.' || s[0] == '_' }) || len(parts) > maxDepth {
		return true // such folders are not looked into
	}
	if w.badFolder(parts) != "" {
		return false // its one problem stands for all its files
	}
	w.forget(w.shown(p))
	w.links = slices.DeleteFunc(w.links, func(link string) bool { return link == p })
	info, err := w.root.Lstat(filepath.FromSlash(p))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true
	case err != nil || info.IsDir():
		return false
	}
	if w.fileOrLink(p, fs.FileInfoToDirEntry(info)) {
		w.file(p, parts)
	}
	return true
}

// forget takes a file out of the listing.
func (l *listing) forget(file string) {
	l.sources = slices.DeleteFunc(l.sources, func(s *source) bool { return s.file == file })
	l.ignored = slices.DeleteFunc(l.ignored, func(i Ignored) bool { return i.File == file })
	l.problems = slices.DeleteFunc(l.problems, func(e *Error) bool { return e.File == file })
}

// same reports whether two looks found the same.
func (l *listing) same(o *listing) bool {
	return o != nil && slices.EqualFunc(l.sources, o.sources, (*source).same) && slices.Equal(l.ignored, o.ignored) &&
		slices.Equal(l.unread, o.unread) && slices.EqualFunc(l.problems, o.problems, func(a, b *Error) bool { return *a == *b })
}
