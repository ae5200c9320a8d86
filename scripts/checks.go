package scripts

import (
	"fmt"
	"slices"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/luabind/sandbox"
)

// reserved are the globals that other versions have; this one has none of them.
var reserved = []string{"http", "db", "fs", "exec", "env", "secret"}

// standard are the globals of Lua 5.1 that tool files do not have.
var standard = []string{"load", "loadstring", "loadfile", "dofile", "collectgarbage", "newproxy", "getfenv", "setfenv", "module",
	"io", "debug", "package", "channel"}

// checkGlobals reports every use of a global that the environment does not have, and every write to one.
func (l *loader) checkGlobals(src *source, f *facts) (list []*Error) {
	for _, u := range f.globals {
		if message := l.globalFault(u); message != "" {
			list = append(list, src.fault(u.line, columnOf(src.text, u.name, u.line, u.nth, false), len(u.name), message))
		}
	}
	return list
}

func (l *loader) globalFault(u use) string {
	switch {
	case u.write && l.env.Has(u.name):
		return fmt.Sprintf("'%s' is read-only: it is shared by all tools", u.name)
	case u.write:
		return fmt.Sprintf("'%s' is not declared: write `local %s`", u.name, u.name)
	case l.env.Has(u.name):
		return ""
	case slices.Contains(reserved, u.name):
		return fmt.Sprintf("this version has no module '%s'", u.name)
	case slices.Contains(standard, u.name):
		return fmt.Sprintf("'%s' of standard Lua is not there in tool files", u.name)
	}
	if write := sandbox.ForeignGlobal(u.name); write != "" {
		return fmt.Sprintf("'%s' is not declared: %s", u.name, write)
	}
	if near := l.env.Near(u.name); near != "" {
		return fmt.Sprintf("'%s' is not declared: did you mean '%s'?", u.name, near)
	}
	return fmt.Sprintf("'%s' is not declared: write `local %s = …` above", u.name, u.name)
}

// checkNeeds reports modules that need a right which no tool of the file declares.
func (l *loader) checkNeeds(f *file) (list []*Error) {
	for _, m := range l.mods {
		if m.Needs == "" || slices.ContainsFunc(f.tools, func(t *Tool) bool { return declares(&t.Definition.Permissions, m.Needs) }) {
			continue
		}
		for _, u := range f.facts.globals {
			if u.name == m.Name {
				list = append(list, f.src.fault(u.line, columnOf(f.src.text, u.name, u.line, u.nth, false), len(u.name),
					fmt.Sprintf("'%s' is used but permissions has no %s", m.Name, m.Needs)))
			}
		}
	}
	return list
}

// right is one key of permissions with what a tool declares under it.
type right struct {
	name   string
	values []string
}

func rights(p *luabind.Permissions) []right {
	return []right{{"net", p.Net}, {"read", p.Read}, {"write", p.Write}, {"env", p.Env}, {"run", p.Run}, {"db", p.DB}, {"secrets", p.Secrets}, {"tools", p.Tools}}
}

func declares(p *luabind.Permissions, name string) bool {
	return slices.ContainsFunc(rights(p), func(r right) bool { return r.name == name && len(r.values) > 0 })
}
