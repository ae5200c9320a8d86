package scripts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/luatools/luatools/luabind"
)

// allowance is what the tools of a file have been allowed so far, by tool: all that its versions declared which served since the
// program began. It never changes; a new one takes its place.
type allowance map[string][]declared

// declared is one right that a tool asks for, such as run = kubectl.
type declared struct{ right, value string }

func (d declared) String() string { return d.right + " = " + d.value }

func declaredBy(t *Tool) (list []declared) {
	for _, r := range rights(&t.Definition.Permissions) {
		for _, v := range r.values {
			list = append(list, declared{r.name, v})
		}
	}
	return list
}

// beyond lists what a tool asks for that it was not allowed. A tool that is new in its file may have what the others of the file have.
func (a allowance) beyond(t *Tool) (list []declared) {
	have, known := a[t.Name]
	if !known {
		for _, other := range a {
			have = append(have[:len(have):len(have)], other...)
		}
	}
	for _, d := range declaredBy(t) {
		if !slices.ContainsFunc(have, d.within) {
			list = append(list, d)
		}
	}
	return list
}

// with returns the allowance once the tools serve.
func (a allowance) with(tools []*Tool) allowance {
	next := make(allowance, len(a)+len(tools))
	for name, have := range a {
		next[name] = have
	}
	for _, t := range tools {
		have := slices.Clone(next[t.Name])
		for _, d := range declaredBy(t) {
			if !slices.Contains(have, d) {
				have = append(have, d)
			}
		}
		next[t.Name] = have
	}
	return next
}

// within reports whether d asks for no more than o gave. Where that is hard to say it says no.
func (d declared) within(o declared) bool {
	if d.right != o.right {
		return false
	}
	if d.value == o.value {
		return true
	}
	switch d.right {
	case "net":
		plain := !strings.ContainsAny(d.value, " /:*")
		return o.value == "*" || plain && strings.HasPrefix(o.value, "*.") && strings.HasSuffix(d.value, o.value[1:])
	case "run": // a program, or one of its first arguments
		return strings.HasPrefix(d.value, o.value+" ") && !strings.Contains(o.value, " ")
	case "env", "secrets":
		prefix, ok := strings.CutSuffix(o.value, "*")
		return ok && strings.HasPrefix(d.value, prefix)
	case "tools":
		server, ok := strings.CutSuffix(o.value, "*")
		return ok && strings.HasPrefix(d.value, server)
	}
	return false
}

// hold finds the files whose new version asks for more than they were allowed. Those wait.
func (s *shelf) hold(granted func(server, tool string, p *luabind.Permissions) bool) {
	for _, e := range s.files {
		e.held = nil
		if e.latest == e.served || !e.latest.ok() {
			continue
		}
		for _, t := range e.latest.tools {
			if more := s.beyond(e, t); len(more) > 0 && (granted == nil || !granted(t.Server, t.Name, &t.Definition.Permissions)) {
				e.held = warn(t.fault(asks(more) + " → " + e.meanwhile()))
				break
			}
		}
	}
}

// beyond lists what a tool of e asks for that it was not allowed: by its file, or, when the file is new, by what a tool of its name had before.
// A tool cannot get more by moving to another file.
func (s *shelf) beyond(e *entry, t *Tool) []declared {
	if e.served != nil {
		return e.allow.beyond(t)
	}
	have, known := s.had[t.Server+"/"+t.Name]
	if !known {
		return nil
	}
	return allowance{t.Name: have}.beyond(t)
}

// meanwhile says what a file serves while it waits.
func (e *entry) meanwhile() string {
	if e.served == nil {
		return "not served until it is granted, because the tool had less before"
	}
	return "still serving the version from " + clock(e.served.loaded) + " until it is granted"
}

func asks(more []declared) string {
	words := make([]string, len(more))
	for i, d := range more {
		words[i] = d.String()
	}
	return fmt.Sprintf("asks for new permission%s %s", plural(len(words)), strings.Join(words, ", "))
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// allow notes what serves now.
func (s *shelf) allow() {
	copied := false
	for _, e := range s.files {
		if e.served == nil || e.noted == e.served {
			continue
		}
		e.allow, e.noted = e.allow.with(e.served.tools), e.served
		if !copied {
			s.had, copied = maps.Clone(s.had), true
			if s.had == nil {
				s.had = map[string][]declared{}
			}
		}
		for _, t := range e.served.tools {
			s.had[t.Server+"/"+t.Name] = e.allow[t.Name]
		}
	}
}
