package scripts

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// maxSource is the longest Lua file that is read, in bytes.
const maxSource = 256 << 10

// Ignored is a file that holds no tools, with the reason.
type Ignored struct{ File, Reason string }

// kind says what a Lua file is for.
type kind uint8

const (
	kindTool kind = iota
	kindServer
	kindModule
)

// source is one Lua file as it was found.
type source struct {
	kind   kind
	file   string // as people see it: "tools/ops/k8s/logs.lua"
	server string // "ops"
	prefix string // "k8s_": what the folders below the server's add to a tool's name
	base   string // "logs", the file's name without .lua; for a module the name after "lib.", such as "a.b"
	top    bool   // directly in the tools folder
	text   string
	err    error // why text is missing
	stamp  stamp // of the file, when text was read
}

// listing is what a look at the folder found.
type listing struct {
	sources  []*source // sorted by file
	ignored  []Ignored
	problems []*Error
	unread   []string // folders that could not be listed, as people see them, with a slash at the end
	links    []string // what is looked at through a link, as sorted slash paths below the folder
}

// hidden reports whether a file that was there before lies in a folder that cannot be read just now. It is taken to be there still.
func (l *listing) hidden(file string) bool {
	return slices.ContainsFunc(l.unread, func(dir string) bool { return strings.HasPrefix(file, dir) })
}

// folder is the place that is looked at.
type folder struct {
	dir    string // absolute
	name   string // last part of dir, the first of every file's shown name
	server string // of the files directly in it

	maxSource int64 // bytes of a file
}

func openFolder(dir, server string) (*folder, error) {
	if dir == "" {
		return nil, errors.New("no tools folder is named: name one with --tools")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("tools folder %s: %w", dir, err)
	}
	f := &folder{dir: abs, name: filepath.Base(abs), server: server}
	if server == "" {
		f.server = f.name
		if !validServer(f.server) {
			f.server = "tools"
		}
	} else if !validServer(server) {
		return nil, fmt.Errorf("%q cannot name a server: %s%s", server, nameRule, lastRule(server))
	}
	return f, nil
}

// open opens the folder. An error says what to do about it.
func (f *folder) open() (*os.Root, error) {
	info, err := os.Stat(f.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("no tools folder at %s: make it, or name another with --tools: %w", f.dir, fs.ErrNotExist)
	case err != nil:
		return nil, fmt.Errorf("tools folder: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("%s is a file: --tools wants the folder that holds it", f.dir)
	}
	// os.Root follows no link that leads out of the folder, whatever changes while we read.
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, fmt.Errorf("tools folder: %w", err)
	}
	return root, nil
}

// list looks at every Lua file of the folder, and reads those that are not as prev found them; nil reads all. An error means that
// the folder itself cannot be read.
func (f *folder) list(prev *listing) (*listing, error) {
	root, err := f.open()
	if err != nil {
		return nil, err
	}
	defer root.Close()
	w := &walk{folder: f, root: root, listing: &listing{}, prev: prev}
	if err := w.dir(".", nil); err != nil {
		return nil, fmt.Errorf("tools folder: %w", err)
	}
	w.sort()
	return w.listing, nil
}

func (l *listing) sort() {
	slices.SortFunc(l.sources, func(a, b *source) int { return strings.Compare(a.file, b.file) })
	slices.SortFunc(l.ignored, func(a, b Ignored) int { return strings.Compare(a.File, b.File) })
	slices.Sort(l.links)
}

// walk is one look at the folder.
type walk struct {
	*folder
	*listing
	root *os.Root
	prev *listing // what is known already; nil for nothing
}

// maxDepth bounds how deep folders may lie in each other.
const maxDepth = 32

// shown is how people see the slash path p below the root.
func (w *walk) shown(p string) string { return path.Join(w.name, p) }

// dir looks at the folder p, whose parts are the names of the folders on the way.
func (w *walk) dir(p string, parts []string) error {
	d, err := w.root.Open(filepath.FromSlash(p))
	if err != nil {
		return err
	}
	entries, err := d.ReadDir(-1)
	d.Close()
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	misnamed := false
	for _, e := range entries {
		sub := path.Join(p, e.Name())
		if e.IsDir() {
			w.subdir(sub, append(slices.Clip(parts), e.Name()))
			continue
		}
		if !w.fileOrLink(sub, e) {
			continue
		}
		if bad := w.badFolder(parts); bad != "" {
			if !misnamed {
				misnamed = true
				w.problems = append(w.problems, &Error{File: w.shown(p), Message: fmt.Sprintf("%q cannot name a folder of tools: %s%s", bad, nameRule, lastRule(bad))})
			}
			continue
		}
		w.file(sub, parts)
	}
	return nil
}

func (w *walk) subdir(p string, parts []string) {
	name := parts[len(parts)-1]
	switch {
	case name[0] == '.':
		return
	case name[0] == '_':
		w.ignore(p, "a folder whose name begins with _ holds no tools")
		return
	case len(parts) > maxDepth:
		w.problems = append(w.problems, &Error{File: w.shown(p), Message: fmt.Sprintf("folders lie more than %d deep", maxDepth)})
		return
	}
	if err := w.dir(p, parts); err != nil {
		w.unread = append(w.unread, w.shown(p)+"/")
		w.problems = append(w.problems, &Error{File: w.shown(p), Message: "the folder cannot be read: " + cause(err)})
	}
}

// badFolder returns the name on the way to a tool that does not fit, or "".
func (w *walk) badFolder(parts []string) string {
	if len(parts) > 0 && parts[0] == "lib" {
		return ""
	}
	if len(parts) > 0 && !validServer(parts[0]) {
		return parts[0]
	}
	if i := slices.IndexFunc(parts, func(s string) bool { return !validName(s) }); i >= 0 {
		return parts[i]
	}
	return ""
}

// fileOrLink reports whether the entry is a Lua file to look at; links that lead nowhere or out of the folder are not.
func (w *walk) fileOrLink(p string, e fs.DirEntry) bool {
	lua := strings.HasSuffix(e.Name(), ".lua")
	if e.Type()&fs.ModeSymlink == 0 {
		return lua && e.Type().IsRegular()
	}
	if e.Name()[0] == '.' {
		return lua // its name says enough, wherever it leads
	}
	if lua {
		w.links = append(w.links, p)
	}
	info, err := w.root.Stat(filepath.FromSlash(p))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if lua {
			w.ignore(p, "a link to nothing")
		}
	case errors.Is(err, syscall.ELOOP):
		w.ignore(p, "a link to itself")
	case err != nil:
		w.ignore(p, "a link out of the tools folder is not followed")
	case info.IsDir():
		w.ignore(p, "a link to a folder is not followed")
	default:
		return lua && info.Mode().IsRegular()
	}
	return false
}

func (w *walk) ignore(p, reason string) {
	w.ignored = append(w.ignored, Ignored{w.shown(p), reason})
}

// file decides by its name what a Lua file is, and reads it.
func (w *walk) file(p string, parts []string) {
	if known := w.prev.unchanged(w.root, p, w.shown(p)); known != nil {
		w.sources = append(w.sources, known)
		return
	}
	base := strings.TrimSuffix(path.Base(p), ".lua")
	s := &source{file: w.shown(p), base: base, server: w.server, top: len(parts) == 0}
	if !s.top {
		s.server = parts[0]
		for _, part := range parts[1:] {
			s.prefix += part + "_"
		}
	}
	switch {
	case base == "" || base[0] == '.':
		w.ignore(p, "a file whose name begins with . holds no tools")
		return
	case base[0] == '_':
		w.ignore(p, "a file whose name begins with _ holds no tools")
		return
	case strings.HasSuffix(base, "_test"):
		w.ignore(p, "tests")
		return
	case !s.top && parts[0] == "lib":
		s.kind = kindModule
		s.base = strings.Join(append(slices.Clone(parts[1:]), base), ".")
	case base == "hooks":
		w.ignore(p, "the name hooks.lua is reserved")
		return
	case base == "server" && len(parts) > 1:
		w.problems = append(w.problems, &Error{File: s.file, Warning: true,
			Message: "server.lua counts only in the folder of a server, " + w.shown(parts[0])})
		return
	case base == "server":
		s.kind = kindServer
	}
	s.text, s.stamp, s.err = w.read(p)
	w.sources = append(w.sources, s)
}

func (w *walk) read(p string) (text string, st stamp, err error) {
	now := time.Now()
	f, err := w.root.Open(filepath.FromSlash(p))
	if err != nil {
		return "", st, errors.New("the file cannot be read: " + cause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		st = newStamp(info, now) // before reading: a change from now on makes it differ
	}
	b, err := io.ReadAll(io.LimitReader(f, w.maxSource+1))
	if err != nil {
		return "", stamp{}, errors.New("the file cannot be read: " + cause(err))
	}
	if int64(len(b)) > w.maxSource {
		return "", st, fmt.Errorf("the file is longer than %s: move data out of it, or split it%s", sizeText(w.maxSource), w.sourceHint())
	}
	return string(b), st, nil
}

// sourceHint says where the limit is changed when somebody lowered it; it cannot be raised.
func (f *folder) sourceHint() string {
	if f.maxSource == maxSource {
		return ""
	}
	return " (--limit source=…, or limits.source in luatools.lua)"
}

// cause is an error without the path, which the reader sees anyway.
func cause(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}
