package host

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/mcp"
)

// listKey names one encoding of a list: which tools, for whom.
type listKey struct {
	server        string // of a session; empty for the list of all tools under their plain names
	cli           bool   // for the control channel
	alwaysLoad    bool   // the CLI knows _meta anthropic/alwaysLoad
	maxResultSize bool   // the CLI knows _meta anthropic/maxResultSizeChars
	since         uint64 // seq of the registry with which the session began
	tombs         bool   // the CLI goes on offering what was removed
}

// list returns the JSON array for tools/list, encoded once for each key.
func (r *registry) list(k listKey) json.RawMessage {
	r.mu.Lock()
	defer r.mu.Unlock()
	if l, ok := r.lists[k]; ok {
		return l
	}
	l := r.encode(k)
	r.lists[k] = l
	return l
}

// encode leaves out a tool that has no form for the client or cannot be encoded: one bad entry would empty the whole server without a
// word. Host.Warnings tells of the former.
func (r *registry) encode(k listKey) json.RawMessage {
	tools := r.plainOrder()
	if k.cli {
		tools = nil
		if s := r.server(k.server); s != nil {
			tools = s.tools
		}
	}
	var defs []mcp.Tool
	for _, t := range tools {
		if !k.cli || t.forCLI != nil {
			defs = append(defs, t.listed(k))
		}
	}
	if k.tombs {
		if dead := r.tombs(k); len(dead) > 0 {
			defs = append(defs, dead...)
			slices.SortFunc(defs, func(a, b mcp.Tool) int { return cmp.Compare(a.Name, b.Name) })
		}
	}
	out := []byte{'['}
	for i := range defs {
		start := len(out)
		if start > 1 {
			out = append(out, ',')
		}
		b, err := defs[i].AppendJSON(out)
		if err != nil {
			out = out[:start]
			continue
		}
		out = b
	}
	return append(out, ']')
}

// listed is the tool as one kind of client sees it. To the CLI go the schema in the form that it takes and the _meta that it knows,
// and no output schema: the model never sees it, and one that the CLI's own validator cannot compile would cost the whole server.
func (t *tool) listed(k listKey) mcp.Tool {
	def := t.def
	if !k.cli {
		def.Name = t.plain
		return def
	}
	def.InputSchema = t.forCLI
	if t.revision > k.since {
		def.InputSchema = withRevision(t.forCLI, t.revision)
	}
	def.OutputSchema = nil
	if k.alwaysLoad && t.always {
		def.Meta = withMember(def.Meta, "anthropic/alwaysLoad", []byte("true"))
	}
	if k.maxResultSize && t.maxText > 0 {
		def.Meta = withMember(def.Meta, "anthropic/maxResultSizeChars", strconv.AppendInt(nil, t.maxText, 10))
	}
	return def
}

// withMember adds a member to the JSON object obj (nil: an empty one). A member of that name that the author wrote stays.
func withMember(obj json.RawMessage, name string, value []byte) json.RawMessage {
	has, empty := false, true
	if obj != nil {
		err := protocol.Members(obj, func(key, _ []byte) bool {
			empty = false
			has = has || string(key) == name
			return true
		})
		if err != nil || has {
			return obj
		}
	}
	out := []byte{'{'}
	if !empty {
		body := bytes.TrimSpace(obj)
		out = append(append([]byte{}, body[:len(body)-1]...), ',')
	}
	out = append(protocol.AppendString(out, name), ':')
	return append(append(out, value...), '}')
}

// annotations joins the hints of the fields with the raw annotations of the file, which win. Hints are sent only when they were given.
func annotations(d *luabind.Definition) json.RawMessage {
	out := d.Annotations
	for _, hint := range []struct {
		name  string
		value *bool
	}{
		{"readOnlyHint", d.ReadOnly}, {"destructiveHint", d.Destructive},
		{"idempotentHint", d.Idempotent}, {"openWorldHint", d.OpenWorld},
	} {
		if hint.value != nil {
			out = withMember(out, hint.name, strconv.AppendBool(nil, *hint.value))
		}
	}
	return out
}
