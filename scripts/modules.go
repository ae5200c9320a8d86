package scripts

import (
	"fmt"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/luatools/luatools/protocol/nearest"
)

// module is one compiled file of lib/**. It never changes; an edit makes a new one.
type module struct {
	src      *source
	facts    *facts
	proto    *lua.FunctionProto
	problems []*Error  // why proto is missing
	loaded   time.Time // of proto
}

// same reports whether two versions of a module run the same code: one that broke has that of before.
func (m *module) same(o *module) bool {
	return m == o || m != nil && o != nil && m.proto != nil && m.proto == o.proto
}

// modules is all of lib/** at one moment, by the name after "lib.".
type modules map[string]*module

// loadModules compiles what changed since prev. A module that does not compile any more keeps its last good code; its faults are returned.
func loadModules(l *loader, sources []*source, prev modules) (next modules, problems []*Error) {
	next = modules{}
	for _, src := range sources {
		if src.kind != kindModule {
			continue
		}
		m := prev[src.base]
		if m == nil || !m.src.same(src) {
			fresh := l.module(src)
			if fresh.proto == nil && m != nil && m.proto != nil {
				fresh.proto, fresh.facts, fresh.loaded = m.proto, m.facts, m.loaded
			}
			m = fresh
		}
		next[src.base] = m
		problems = append(problems, m.problems...)
	}
	return next, problems
}

// module compiles one file of lib/**.
func (l *loader) module(src *source) *module {
	m := &module{src: src, facts: &facts{}, loaded: time.Now()}
	if src.err != nil {
		m.problems = []*Error{{File: src.file, Message: src.err.Error()}}
		return m
	}
	chunk, fault := parseSource(src)
	if fault != nil {
		m.problems = []*Error{fault}
		return m
	}
	// A file that was cut off, or is empty for a moment while an editor writes it, is valid Lua.
	if n := len(chunk); n == 0 || !returns(chunk[n-1]) {
		m.problems = []*Error{src.fault(lastLine(src.text), 0, 0, "a module ends with the table that it returns: return { … }")}
		return m
	}
	m.facts = examine(chunk)
	if m.problems = l.checkGlobals(src, m.facts); failed(m.problems) {
		return m
	}
	if m.proto, fault = compileSource(src, chunk); fault != nil {
		m.problems = append(m.problems, fault)
	}
	return m
}

func returns(s ast.Stmt) bool {
	_, ok := s.(*ast.ReturnStmt)
	return ok
}

// needs returns the modules that a file can reach, sorted by name; nil entries stand for names that have no file. A file that
// calls require with something that is no constant can reach all.
func (ms modules) needs(f *facts) []*module {
	seen := map[string]bool{}
	all := ms.reach(f, seen)
	if all {
		for name := range ms {
			seen[name] = true
		}
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	slices.Sort(names)
	list := make([]*module, len(names))
	for i, name := range names {
		list[i] = ms[name]
	}
	return list
}

func (ms modules) reach(f *facts, seen map[string]bool) (all bool) {
	if f.dynamic {
		return true
	}
	for _, r := range f.requires {
		name, ok := strings.CutPrefix(r.name, "lib.")
		if !ok || seen[name] {
			continue
		}
		seen[name] = true
		if m := ms[name]; m != nil && ms.reach(m.facts, seen) {
			return true
		}
	}
	return false
}

// require finds the code of require "lib.x". Its errors are for the author.
func (ms modules) require(name string) (*lua.FunctionProto, error) {
	base, ok := strings.CutPrefix(name, "lib.")
	if !ok {
		return nil, fmt.Errorf("no module %q: require finds the files of lib only, as %q for lib/x.lua%s", name, "lib.x", ms.near(name))
	}
	m := ms[base]
	switch {
	case m == nil:
		return nil, fmt.Errorf("no module %q: there is no lib/%s.lua%s", name, strings.ReplaceAll(base, ".", "/"), ms.near(base))
	case m.proto == nil:
		return nil, fmt.Errorf("module %q does not load: %v", name, m.problems[0])
	}
	return m.proto, nil
}

// near is ", did you mean …?" for a module name.
func (ms modules) near(name string) string {
	names := make([]string, 0, len(ms))
	for n := range ms {
		names = append(names, n)
	}
	slices.Sort(names)
	if n := nearest.Name(strings.TrimPrefix(name, "lib."), names); n != "" {
		return fmt.Sprintf(", did you mean %q?", "lib."+n)
	}
	return ""
}

// checkRequires reports constant names that have no module.
func (l *loader) checkRequires(src *source, f *facts) (list []*Error) {
	for _, r := range f.requires {
		if _, err := l.modules.require(r.name); err != nil {
			list = append(list, src.fault(r.line, columnOf(src.text, "require", r.line, 0, false), len("require"), err.Error()))
		}
	}
	return list
}
