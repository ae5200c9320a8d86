package host

import (
	"slices"
	"strings"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/mcp"
	"github.com/luatools/luatools/protocol/nearest"
	"github.com/luatools/luatools/protocol/schema"
	"github.com/luatools/luatools/scripts"
)

// Info describes one tool for people.
type Info struct {
	Name      ToolName
	Plain     string         // as serve lists it
	Tool      mcp.Tool       // its Name is the bare one
	Schema    *schema.Schema // of the input, for reading a command line's arguments
	Signature string         // `location: string, units?: "celsius"|"fahrenheit"`
	File      string         // of a Lua tool, as "tools/weather/current.lua"
	Line      int
	Go        bool
	Declares  string        // rights, for people; empty for none
	Why       string        // why it is not enabled; empty for a tool that can be called
	Lua       *scripts.Tool // nil for a Go tool
}

// Tools returns all tools that can be called at this moment, sorted by server and name.
func (h *Host) Tools() []Info { return infos(h.registry().tools) }

// Disabled returns the tools that were loaded and are not enabled, sorted like Tools; Why tells the reason.
func (h *Host) Disabled() []Info { return infos(h.registry().disabled) }

func infos(tools []*tool) []Info {
	out := make([]Info, len(tools))
	for i, t := range tools {
		out[i] = t.info()
	}
	return out
}

// Lookup finds a tool as people name it: server/tool, mcp__server__tool, the name serve lists, or a bare name that only one server has.
// The error is an *UnknownToolError.
func (h *Host) Lookup(name string) (Info, error) {
	t, err := h.registry().lookup(name)
	if err != nil {
		return Info{}, err
	}
	return t.info(), nil
}

func (r *registry) lookup(name string) (*tool, error) {
	if t := r.byName[name]; t != nil {
		return t, nil
	}
	if t := r.off[name]; t != nil {
		return nil, &UnknownToolError{Name: name, Why: t.why}
	}
	switch found := r.bare[name]; len(found) {
	case 0:
		return nil, r.unknown(name, nil)
	case 1:
		return found[0], nil
	default:
		e := &UnknownToolError{Name: name, Many: true}
		for _, t := range found {
			e.Near = append(e.Near, t.people)
		}
		slices.Sort(e.Near)
		return nil, e
	}
}

// maxNear is how many names an error suggests.
const maxNear = 3

// unknown names the tools that name may have meant. Among the tools of one server (nil: all), names are compared bare as well.
func (r *registry) unknown(name string, s *server) *UnknownToolError {
	e := &UnknownToolError{Name: protocol.Brief(name)} // it may come from a model, at any length
	if s != nil {
		if t := r.off[ToolName{s.name, name}.String()]; t != nil {
			e.Why = t.why
			return e
		}
		var names []string
		for _, t := range s.tools {
			names = append(names, t.name.Tool)
		}
		e.Near = nearest.Names(name, names, maxNear)
		return e
	}
	for _, t := range r.bare[name] { // where bare names are none
		e.Near = append(e.Near, t.people)
	}
	var names []string
	people := map[string]string{}
	for _, t := range r.tools {
		for _, n := range []string{t.people, t.name.Wire(), t.plain, t.name.Tool} {
			if _, ok := people[n]; !ok {
				people[n] = t.people
				names = append(names, n)
			}
		}
	}
	for _, n := range nearest.Names(name, names, 4*maxNear) {
		if p := people[n]; !slices.Contains(e.Near, p) && len(e.Near) < maxNear {
			e.Near = append(e.Near, p)
		}
	}
	return e
}

// nearRule returns the pattern that a rule about no tool may have meant, or "".
func (r *registry) nearRule(rule Rule) string {
	t := rule.target()
	var servers []string
	for _, s := range r.servers {
		servers = append(servers, s.name)
	}
	if !t.prefix {
		if slices.Contains(servers, rule.Pattern) {
			return rule.Pattern + "/*"
		}
		if found := r.bare[rule.Pattern]; len(found) == 1 {
			return found[0].people
		}
		if u := r.unknown(rule.Pattern, nil); len(u.Near) > 0 {
			return u.Near[0]
		}
		return nearest.Name(rule.Pattern, cliTools)
	}
	n := strings.ToLower(t.server)
	if !slices.Contains(servers, n) {
		n = nearest.Name(n, servers)
	}
	if n != "" {
		return n + "/" + t.tool + "*"
	}
	return ""
}

// cliTools are the CLI's own tools, to correct a rule that spells one of them in small letters.
var cliTools = []string{
	"Bash", "Edit", "Glob", "Grep", "NotebookEdit", "Read", "Skill", "Task", "TodoWrite", "WebFetch", "WebSearch", "Write",
}
