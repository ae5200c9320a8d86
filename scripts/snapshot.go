package scripts

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"
)

// Snapshot is all tools at one moment. It never changes.
type Snapshot struct {
	Revision uint64
	Servers  []*Server // sorted by name; each has at least one enabled tool
	Problems []*Error  // faults and warnings, sorted by file and line
	Ignored  []Ignored
	Disabled []*Tool // loaded, but enabled said no; sorted by server and name

	// Removed tells, by server/tool, when a tool that is there no more was taken out; the latest maxRemoved of this Library.
	Removed map[string]time.Time

	files       []*file
	serverFiles []*serverFile
}

// Server is a folder of tools.
type Server struct {
	Name, Title, Version, Instructions string
	Tools                              []*Tool // sorted by name
	File                               string  // of server.lua; empty when there is none
}

// assembly puts the files of a shelf together.
type assembly struct {
	*shelf
	folder *folder
	names  map[toolName]*Tool
	plain  map[string]*Tool       // by the name that a plain client sees
	shared map[string]*serverFile // by server, as far as asked for
	out    *Snapshot
}

type toolName struct{ server, name string }

// assemble chooses what each file serves and makes the snapshot. Names belong to who has them: files that serve already come first, in
// the order of their paths, then those that are new.
func assemble(s *shelf, folder *folder, problems []*Error, ignored []Ignored) *Snapshot {
	a := &assembly{shelf: s, folder: folder, names: make(map[toolName]*Tool, len(s.files)), plain: make(map[string]*Tool, len(s.files)), shared: map[string]*serverFile{},
		out: &Snapshot{Problems: problems, Ignored: ignored}}
	order := s.order
	var fresh []*entry
	for _, name := range order {
		e := s.files[name]
		a.out.Problems = append(a.out.Problems, e.latest.problems...)
		if e.held != nil {
			a.out.Problems = append(a.out.Problems, e.held)
		}
		switch {
		case e.served != nil && (e.latest == e.served || !e.latest.ok() || e.held != nil):
			if faults := a.claim(e.served); faults != nil {
				a.out.Problems = append(a.out.Problems, faults...)
				e.served = nil
			}
		case e.latest.ok() && e.held == nil:
			fresh = append(fresh, e)
		}
	}
	for _, e := range fresh {
		faults := a.claim(e.latest)
		if faults == nil {
			e.served = e.latest
			continue
		}
		a.out.Problems = append(a.out.Problems, faults...)
		if e.served != nil && a.claim(e.served) != nil {
			e.served = nil
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.servers)) {
		f := s.servers[name]
		a.out.Problems = append(a.out.Problems, f.problems...)
		a.out.serverFiles = append(a.out.serverFiles, f)
	}
	for _, name := range order {
		if f := s.files[name].served; f != nil {
			a.out.files = append(a.out.files, f)
		}
	}
	a.servers()
	a.out.Problems = sortErrors(a.out.Problems)
	return a.out
}

// claim takes the names of a file's tools, all or none, and reports why it cannot.
func (a *assembly) claim(f *file) (faults []*Error) {
	if !f.src.top && f.src.server == a.folder.server && a.hasTop() {
		return []*Error{{File: f.src.file, Message: fmt.Sprintf("the folder %s is named like the server of the top folder: rename it, or name the top folder's server with --server",
			f.src.server)}}
	}
	for _, t := range f.tools {
		if t.disabled {
			continue
		}
		if o := a.names[toolName{t.Server, t.Name}]; o != nil {
			faults = append(faults, t.fault(fmt.Sprintf("tool %q of server %q is already at %s:%d", t.Name, t.Server, o.File, o.Line)))
		} else if o := a.plain[t.Plain]; o != nil {
			faults = append(faults, t.fault(fmt.Sprintf("plain MCP clients would see this tool as %q, and so the one at %s:%d: rename one", t.Plain, o.File, o.Line)))
		}
		faults = append(faults, a.aboveCeiling(t)...)
	}
	if faults != nil {
		return faults
	}
	for _, t := range f.tools {
		if !t.disabled {
			a.names[toolName{t.Server, t.Name}], a.plain[t.Plain] = t, t
		}
	}
	return nil
}

func (a *assembly) hasTop() bool {
	for _, e := range a.files {
		if e.latest.src.top {
			return true
		}
	}
	return false
}

// aboveCeiling reports rights that the tool declares and its server.lua does not name.
func (a *assembly) aboveCeiling(t *Tool) (faults []*Error) {
	sf := a.serverFile(t.Server)
	if sf == nil || sf.ceiling == nil {
		return nil
	}
	for _, r := range rights(&t.Definition.Permissions) {
		if len(r.values) > 0 && !slices.Contains(sf.ceiling, r.name) {
			faults = append(faults, t.fault(fmt.Sprintf("tool %q declares %s, and %s names no %s in permissions", t.Name, r.name, sf.src.file, r.name)))
		}
	}
	return faults
}

// fault is an error at the tool's declaration.
func (t *Tool) fault(message string) *Error {
	return t.file.src.fault(t.Line, columnOf(t.file.src.text, "tool", t.Line, 0, false), len("tool"), message)
}

// serverFile returns the server.lua of a server, or nil.
func (a *assembly) serverFile(server string) *serverFile {
	f, known := a.shared[server]
	if !known {
		f = a.findServerFile(server)
		a.shared[server] = f
	}
	return f
}

func (a *assembly) findServerFile(server string) *serverFile {
	if server == a.folder.server && (a.hasTop() || a.shelf.servers[path.Join(a.folder.name, "server.lua")] != nil) {
		return a.shelf.servers[path.Join(a.folder.name, "server.lua")]
	}
	return a.shelf.servers[path.Join(a.folder.name, server, "server.lua")]
}

// servers groups the tools that serve.
func (a *assembly) servers() {
	byName := map[string]*Server{}
	for _, f := range a.out.files {
		sf := a.serverFile(f.src.server)
		for _, t := range f.tools {
			t = t.on(sf)
			if t.disabled {
				a.out.Disabled = append(a.out.Disabled, t)
				continue
			}
			s := byName[t.Server]
			if s == nil {
				s = newServer(t.Server, sf)
				byName[t.Server] = s
			}
			s.Tools = append(s.Tools, t)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		slices.SortFunc(byName[name].Tools, compareTools)
		a.out.Servers = append(a.out.Servers, byName[name])
	}
	slices.SortFunc(a.out.Disabled, compareTools)
}

func compareTools(a, b *Tool) int {
	if c := strings.Compare(a.Server, b.Server); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}

func newServer(name string, f *serverFile) *Server {
	s := &Server{Name: name, Version: defaultVersion}
	if f != nil {
		s.Title, s.Version, s.Instructions, s.File = f.title, f.version, f.instructions, f.src.file
	}
	return s
}

// on returns the tool as it is on a server: with its timeout when it has none of its own.
func (t *Tool) on(f *serverFile) *Tool {
	if t.Timeout > 0 || f == nil || f.timeout <= 0 {
		return t
	}
	c := *t
	c.Timeout, c.timeoutIn = f.timeout, f.src.file
	return &c
}
