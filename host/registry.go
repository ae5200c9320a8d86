package host

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/protocol/mcp"
	"github.com/luatools/luatools/protocol/schema"
	"github.com/luatools/luatools/scripts"
)

// tool is one callable of a registry, Lua or Go. It never changes.
type tool struct {
	name     ToolName
	people   string // server/tool, made once
	plain    string
	def      mcp.Tool
	input    *schema.Schema
	forCLI   json.RawMessage // the input schema as the CLI takes it; nil when there is no such form
	noCLI    error           // why not
	declares string          // rights, for people
	subject  Subject         // what the policy judges, the author's confirm aside
	confirms bool            // the file has a confirm: the question is made for each call
	timeout  time.Duration   // its own; 0: the host's
	revision uint64          // of the registry in which text or schema last changed; 0: never
	lua      *scripts.Tool   // one of these two
	native   *Tool
	why      string // of a disabled tool
	always   bool   // always_load
	maxText  int64  // max_result, when given
}

// registry is all tools at one moment: those of one Lua snapshot beside the Go tools. It never changes, its cache of lists aside.
type registry struct {
	seq      uint64            // 1 for the first of a host
	snap     *scripts.Snapshot // nil without a folder
	top      string            // the server whose tools keep their bare name in plain lists
	tools    []*tool           // sorted by server and name
	disabled []*tool
	gone     []gone
	servers  []server         // sorted by name
	byName   map[string]*tool // by server/tool, by mcp__server__tool and by plain name
	off      map[string]*tool // the disabled ones, likewise
	bare     map[string][]*tool

	mu    sync.Mutex
	lists map[listKey]json.RawMessage
}

// server is one server of a registry.
type server struct {
	name, title, version, instructions string
	byName                             map[string]*tool
	tools                              []*tool
}

// newRegistry joins the tools of snap with the Go tools. Go tools win over Lua tools of the same name; each such pair is
// an error in clashes, which New makes final and a reload reports. Entries of before (which may be nil) whose tool is still the same are taken over.
func newRegistry(snap *scripts.Snapshot, top string, native []*tool, before *registry) (r *registry, clashes []error) {
	r = &registry{
		snap: snap, top: top,
		byName: map[string]*tool{}, off: map[string]*tool{}, bare: map[string][]*tool{},
		lists: map[listKey]json.RawMessage{},
	}
	entry := func(lt *scripts.Tool) *tool {
		if before != nil {
			if t := before.byName[lt.Server+"/"+lt.Name]; t != nil && t.lua == lt {
				return t
			}
		}
		return fromLua(lt, top)
	}
	for _, t := range native {
		if other := r.add(t); other != nil {
			clashes = append(clashes, clash(t, other))
		}
	}
	servers := map[string]*scripts.Server{}
	if snap != nil {
		for _, s := range snap.Servers {
			servers[s.Name] = s
			for _, lt := range s.Tools {
				t := entry(lt)
				if other := r.add(t); other != nil {
					clashes = append(clashes, clash(t, other))
				}
			}
		}
		for _, lt := range snap.Disabled {
			t := fromLua(lt, top)
			t.why = cmp.Or(lt.Why, "it is not enabled")
			r.disabled = append(r.disabled, t)
			for _, n := range []string{t.people, t.name.Wire(), t.plain} {
				r.off[n] = t
			}
		}
	}
	byName := func(a, b *tool) int {
		return cmp.Or(cmp.Compare(a.name.Server, b.name.Server), cmp.Compare(a.name.Tool, b.name.Tool))
	}
	slices.SortFunc(r.tools, byName)
	slices.SortFunc(r.disabled, byName)
	r.group(servers)
	return r, clashes
}

// add enters t, or returns the tool that has one of its names already.
func (r *registry) add(t *tool) (other *tool) {
	names := []string{t.people, t.name.Wire(), t.plain}
	for _, n := range names {
		if other := r.byName[n]; other != nil {
			return other
		}
	}
	for _, n := range names {
		r.byName[n] = t
	}
	r.bare[t.name.Tool] = append(r.bare[t.name.Tool], t)
	r.tools = append(r.tools, t)
	return nil
}

// group fills servers from the sorted tools.
func (r *registry) group(lua map[string]*scripts.Server) {
	for _, t := range r.tools {
		if n := len(r.servers); n == 0 || r.servers[n-1].name != t.name.Server {
			s := server{name: t.name.Server, byName: map[string]*tool{}}
			if l := lua[s.name]; l != nil {
				s.title, s.version, s.instructions = l.Title, l.Version, l.Instructions
			}
			r.servers = append(r.servers, s)
		}
		s := &r.servers[len(r.servers)-1]
		s.byName[t.name.Tool] = t
		s.tools = append(s.tools, t)
	}
}

// server returns the server of that name, or nil.
func (r *registry) server(name string) *server {
	i, ok := slices.BinarySearchFunc(r.servers, name, func(s server, n string) int { return cmp.Compare(s.name, n) })
	if !ok {
		return nil
	}
	return &r.servers[i]
}

func clash(a, b *tool) error {
	if a.name == b.name {
		return fmt.Errorf("tool %s is there twice: %s and %s", a.people, b.place(), a.place())
	}
	return fmt.Errorf("tools %s (%s) and %s (%s) have the same name %q where servers have no names of their own",
		b.people, b.place(), a.people, a.place(), a.plain)
}

// place says where the tool was written.
func (t *tool) place() string {
	if t.native != nil {
		return t.native.place
	}
	return fmt.Sprintf("%s:%d", t.lua.File, t.lua.Line)
}

// fromLua makes the registry's entry of a Lua tool.
func fromLua(lt *scripts.Tool, top string) *tool {
	d := lt.Definition
	t := &tool{
		name:     ToolName{lt.Server, lt.Name},
		input:    lt.Input,
		declares: rights(&d.Permissions),
		confirms: d.Confirm != "" || d.ConfirmFunc != nil,
		timeout:  lt.Timeout,
		lua:      lt,
		always:   d.AlwaysLoad,
		maxText:  d.MaxResult,
		def: mcp.Tool{
			Name: lt.Name, Title: d.Title, Description: d.Description,
			InputSchema: d.Input, OutputSchema: d.Output,
			Annotations: annotations(d), Icons: d.Icons, Meta: d.Meta,
		},
	}
	t.finish(top, asks(&d.Permissions, d.Destructive != nil && *d.Destructive))
	return t
}

// finish fills in what follows from the name.
func (t *tool) finish(top, asks string) {
	t.people, t.plain = t.name.String(), t.name.plain(top)
	if t.lua != nil {
		t.plain = t.lua.Plain
	}
	t.subject = Subject{Name: t.name, Plain: t.plain, Asks: asks}
	if t.noCLI = t.fitForCLI(); t.noCLI != nil {
		t.forCLI = nil
	}
}

// fitForCLI makes the tool's schema in the CLI's form, and judges its whole entry: one bad entry would empty the server's list without a word.
func (t *tool) fitForCLI() (err error) {
	if t.forCLI, _, err = schema.ForCLI(t.def.InputSchema); err != nil {
		return fmt.Errorf("input schema: %w", err)
	}
	def := t.listed(listKey{cli: true, alwaysLoad: true, maxResultSize: true})
	entry, err := def.AppendJSON(nil)
	if err != nil {
		return err
	}
	return schema.CheckEntry(entry)
}

// info describes the tool for people.
func (t *tool) info() Info {
	i := Info{
		Name: t.name, Plain: t.plain, Tool: t.def, Schema: t.input, Signature: t.input.Signature(),
		Go: t.native != nil, Declares: t.declares, Lua: t.lua, Why: t.why,
	}
	if t.lua != nil {
		i.File, i.Line = t.lua.File, t.lua.Line
	}
	return i
}

// rights writes what p declares for people: `net api.open-meteo.com; secrets WEATHER_KEY`.
func rights(p *luabind.Permissions) string {
	var parts []string
	for _, r := range listRights(p) {
		if len(r.values) > 0 {
			parts = append(parts, r.name+" "+strings.Join(r.values, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

type right struct {
	name   string
	values []string
}

func listRights(p *luabind.Permissions) []right {
	return []right{
		{"net", p.Net}, {"read", p.Read}, {"write", p.Write}, {"env", p.Env},
		{"run", p.Run}, {"db", p.DB}, {"secrets", p.Secrets}, {"tools", p.Tools},
	}
}

// asks says why a tool with these rights asks before each call, or "" when it runs. Nothing can be granted yet, so every right that is
// declared asks; tools needs no grant, because each inner call passes the gate by itself.
func asks(p *luabind.Permissions, destructive bool) string {
	var parts []string
	for _, r := range listRights(p) {
		if len(r.values) > 0 && r.name != "tools" {
			parts = append(parts, r.name+" "+strings.Join(r.values, ", "))
		}
	}
	switch {
	case len(parts) > 0 && destructive:
		return "it is destructive and declares " + strings.Join(parts, "; ")
	case len(parts) > 0:
		return "it declares " + strings.Join(parts, "; ")
	case destructive:
		return "it is destructive"
	}
	return ""
}

// plainOrder returns the tools sorted by their plain names.
func (r *registry) plainOrder() []*tool {
	return slices.SortedFunc(slices.Values(r.tools), func(a, b *tool) int { return cmp.Compare(a.plain, b.plain) })
}
