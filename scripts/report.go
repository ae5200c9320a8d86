package scripts

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Reload is what one look at the folder changed.
type Reload struct {
	Before, After *Snapshot
	Changes       []Change      // sorted by file and tool
	Took          time.Duration // from the end of the quiet time, or the call of Rescan, to the swap
}

// ChangeKind says what became of a tool or file.
type ChangeKind uint8

// The kinds of changes. A tool under a new name is one that was removed and one that was added.
const (
	Added     ChangeKind = iota // a new tool
	Removed                     // a tool that is gone
	Behaviour                   // the code changed, and nothing that clients are shown
	Listed                      // what clients are shown changed: schema or text
	Failed                      // a file cannot be loaded; what it served before is served still
	Recovered                   // a file that had failed loads again
	Held                        // a file asks for more rights than before; what it served before is served still
	Enabled                     // a tool that was not enabled is
	Disabled                    // a tool is not enabled, or not any more
)

// Change is one line of a reload's report.
type Change struct {
	Kind    ChangeKind
	Tool    string // server/tool; empty when it is about the file as a whole, or about several tools of it
	File    string // as in Tool.File
	Text    string // for people, on one line: "schema changed: +limit (integer, default 100)"
	Problem *Error // with its code frame, of Failed and Held
}

// String is the change on one line, with a mark and what it is about.
func (c Change) String() string {
	mark := "✓"
	switch c.Kind {
	case Failed:
		mark = "✗"
	case Held:
		mark = "!"
	}
	return fmt.Sprintf("%s %s  %s", mark, cmp.Or(c.Tool, c.File), c.Text)
}

// clock is a time of day as reports write it.
func clock(t time.Time) string { return t.Format("15:04") }

// comparison makes the report of a reload.
type comparison struct {
	*Reload
	old, next *shelf
	broken    [2]map[string][]*Error // faults by file, before and after
	recovered map[string]bool        // by file
	everyTool bool                   // may differ, not only those of files that were loaded
}

// compare says what differs between the two snapshots.
func (r *Reload) compare(old, next *shelf) []Change {
	c := &comparison{Reload: r, old: old, next: next, recovered: map[string]bool{},
		broken: [2]map[string][]*Error{faultsByFile(r.Before), faultsByFile(r.After)}}
	if !maps.Equal(old.servers, next.servers) {
		c.everyTool = true
	}
	c.files()
	c.tools()
	c.serverFiles()
	slices.SortStableFunc(c.Changes, func(a, b Change) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Tool, b.Tool)) })
	return c.Changes
}

func (c *comparison) add(kind ChangeKind, tool, file, text string, problem *Error) {
	c.Changes = append(c.Changes, Change{kind, tool, file, text, problem})
}

func faultsByFile(s *Snapshot) map[string][]*Error {
	m := map[string][]*Error{}
	for _, p := range s.Problems {
		if !p.Warning {
			m[p.File] = append(m[p.File], p)
		}
	}
	return m
}

// files reports what failed, recovered and waits.
func (c *comparison) files() {
	before, after := c.broken[0], c.broken[1]
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if !slices.EqualFunc(before[name], after[name], func(a, b *Error) bool { return *a == *b }) {
			p := after[name][0]
			c.add(Failed, c.toolOf(name), name, firstLine(p.Message)+c.still(name), p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if after[name] == nil && c.next.found.has(name) {
			c.recovered[name] = true
			c.add(Recovered, c.toolOf(name), name, "mended, reloaded in "+c.took(), nil)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.next.files)) {
		e := c.next.files[name]
		was := c.old.files[name]
		if e.held != nil && (was == nil || was.held == nil || was.latest != e.latest) {
			c.add(Held, c.toolOf(name), name, e.held.Message, e.held)
		}
	}
}

// has reports whether a file or folder, or something in it, was found.
func (l *listing) has(file string) bool {
	return slices.ContainsFunc(l.sources, func(s *source) bool { return s.file == file || strings.HasPrefix(s.file, file+"/") })
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// toolOf names the tool that a file serves when it is the only one.
func (c *comparison) toolOf(file string) string {
	e := c.next.files[file]
	if e == nil || e.served == nil || len(e.served.tools) != 1 {
		return ""
	}
	return e.served.tools[0].Server + "/" + e.served.tools[0].Name
}

// still says what serves in place of a file that failed.
func (c *comparison) still(file string) string {
	if e := c.next.files[file]; e != nil && e.served != nil {
		return ", still serving the version from " + clock(e.served.loaded)
	}
	for _, m := range c.next.modules {
		if m.src.file == file && m.proto != nil {
			return ", still using the version from " + clock(m.loaded)
		}
	}
	if f, was := c.next.servers[file], c.old.servers[file]; f != nil && was != nil {
		return ", still using the version from " + clock(f.loaded)
	}
	return ""
}

func (c *comparison) took() string { return took(c.Took) }

// took is a time for people: "6 ms", "1.2 s".
func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return "below 1 ms"
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// tools reports what became of each tool.
func (c *comparison) tools() {
	was, off := c.byName(c.Before)
	is, nowOff := c.byName(c.After)
	for name, t := range is {
		o := was[name]
		switch {
		case o == nil && off[name] != nil:
			c.add(Enabled, name, t.File, "enabled", nil)
		case o == nil:
			c.add(Added, name, t.File, "new tool", nil)
		case o != t:
			c.changed(name, o, t)
		}
	}
	for name, t := range nowOff {
		if was[name] == nil && off[name] == nil {
			c.add(Disabled, name, t.File, "new tool, not enabled: "+t.Why, nil)
		}
	}
	for name, o := range was {
		if is[name] != nil {
			continue
		}
		if t := nowOff[name]; t != nil {
			c.add(Disabled, name, t.File, "not enabled any more: "+t.Why, nil)
		} else {
			c.add(Removed, name, o.File, "removed", nil)
		}
	}
}

// changed reports how a tool that stays differs.
func (c *comparison) changed(name string, o, t *Tool) {
	listed := listedDifference(o, t)
	switch {
	case len(listed) > 0:
		c.add(Listed, name, t.File, strings.Join(listed, "; "), nil)
	case o.file == t.file && o.Timeout != t.Timeout:
		text := "its time limit is that of all tools now"
		if t.Timeout > 0 {
			text = fmt.Sprintf("its time limit is %s now", t.Timeout)
		}
		c.add(Behaviour, name, t.File, text, nil)
	case o.file != t.file && o.file.src.text == t.file.src.text && o.File == t.File && !c.recovered[t.File]:
		c.add(Behaviour, name, t.File, fmt.Sprintf("reloaded in %s (%s)", c.took(), changedModules(o.file, t.file)), nil)
	case o.file != t.file && !c.recovered[t.File]:
		c.add(Behaviour, name, t.File, fmt.Sprintf("reloaded in %s (behaviour only)", c.took()), nil)
	}
}

// changedModules names the modules for which a file was loaded anew.
func changedModules(o, f *file) string {
	var names []string
	for _, m := range f.needs {
		if m != nil && !slices.ContainsFunc(o.needs, m.same) {
			names = append(names, m.src.file)
		}
	}
	if len(names) == 0 {
		return "behaviour only"
	}
	return strings.Join(names, ", ") + " changed"
}

// serverFiles reports what server.lua files say anew.
func (c *comparison) serverFiles() {
	for name, f := range c.next.servers {
		o := c.old.servers[name]
		if o == f || failed(f.problems) || c.recovered[name] {
			continue
		}
		if o == nil {
			o = &serverFile{version: defaultVersion}
		}
		c.add(serverKind(o, f), "", name, "reloaded in "+c.took(), nil)
	}
	for name := range c.old.servers {
		if c.next.servers[name] == nil {
			c.add(Listed, "", name, "removed", nil)
		}
	}
}

func serverKind(o, f *serverFile) ChangeKind {
	if o.title != f.title || o.version != f.version || o.instructions != f.instructions {
		return Listed
	}
	return Behaviour
}

// byName is the tools of a snapshot that may differ, enabled and not, by server/tool.
func (c *comparison) byName(s *Snapshot) (on, off map[string]*Tool) {
	on, off = map[string]*Tool{}, map[string]*Tool{}
	put := func(to map[string]*Tool, tools []*Tool) {
		for _, t := range tools {
			if c.everyTool || c.old.serves(t.file) != c.next.serves(t.file) {
				to[t.Server+"/"+t.Name] = t
			}
		}
	}
	for _, server := range s.Servers {
		put(on, server.Tools)
	}
	put(off, s.Disabled)
	return on, off
}

// serves reports whether a version of a file serves.
func (s *shelf) serves(f *file) bool {
	e := s.files[f.src.file]
	return e != nil && e.served == f
}

// maxRemoved is how many removed tools a snapshot remembers.
const maxRemoved = 256

// remember adds what changes took out to the tools that were removed before, and takes out those that came back.
func remember(before map[string]time.Time, changes []Change, now time.Time) map[string]time.Time {
	m := maps.Clone(before)
	for _, c := range changes {
		switch c.Kind {
		case Removed:
			if m == nil {
				m = map[string]time.Time{}
			}
			m[c.Tool] = now
		case Added, Enabled, Disabled:
			delete(m, c.Tool)
		}
	}
	for len(m) > maxRemoved {
		oldest := ""
		for name, at := range m {
			if oldest == "" || at.Before(m[oldest]) || at.Equal(m[oldest]) && name < oldest {
				oldest = name
			}
		}
		delete(m, oldest)
	}
	return m
}
