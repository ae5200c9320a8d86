package host

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/mcp"
)

// edition is what a host remembers of a Lua tool's name, for some time also when the tool is gone.
type edition struct {
	shown    [sha256.Size]byte // digest of what clients are shown
	revision uint64            // seq of the registry in which that changed last; 0: never
}

// gone is a tool that a registry does not have and one before it had.
type gone struct {
	name  ToolName
	plain string
	since uint64 // seq of the first registry without it
}

const (
	maxGone = 256 // that a registry remembers, the latest
	maxTomb = 200 // that the CLI is shown: a folder that a checkout dropped, and more
)

// date numbers r, finds the tools of its that are shown otherwise than when the host last had them, and those that are gone. It is called with h.build
// held, or before the host is in use. Go tools never change; neither has an entry that before has too.
func (h *Host) date(r, before *registry) {
	r.seq = 1
	if before != nil {
		r.seq = before.seq + 1
		h.bury(r, before)
	}
	for _, t := range r.tools {
		if t.lua == nil || before != nil && before.byName[t.people] == t {
			continue
		}
		shown := t.shown()
		e := h.history[t.name]
		switch {
		case e == nil:
			e = &edition{}
			h.history[t.name] = e
		case e.shown != shown:
			e.revision = r.seq
		}
		e.shown, t.revision = shown, e.revision
	}
}

// bury fills r.gone, sorted by server and name, and forgets what is gone for long.
func (h *Host) bury(r, before *registry) {
	for _, g := range before.gone {
		if r.byName[g.name.String()] == nil {
			r.gone = append(r.gone, g)
		}
	}
	for _, t := range before.tools {
		if r.byName[t.people] == nil {
			r.gone = append(r.gone, gone{t.name, t.plain, r.seq})
		}
	}
	if len(r.gone) > maxGone {
		latestFirst(r.gone)
		for _, g := range r.gone[maxGone:] {
			delete(h.history, g.name)
		}
		r.gone = r.gone[:maxGone]
	}
	slices.SortFunc(r.gone, func(a, b gone) int {
		return cmp.Or(cmp.Compare(a.name.Server, b.name.Server), cmp.Compare(a.name.Tool, b.name.Tool))
	})
}

func latestFirst(list []gone) {
	slices.SortStableFunc(list, func(a, b gone) int { return cmp.Compare(b.since, a.since) })
}

// shown is a digest of what the CLI is shown of the tool. A tool that it is not shown has none.
func (t *tool) shown() (sum [sha256.Size]byte) {
	if t.forCLI == nil {
		return sum
	}
	def := t.listed(listKey{cli: true, alwaysLoad: true, maxResultSize: true, since: ^uint64(0)})
	b, err := def.AppendJSON(nil)
	if err != nil {
		return sum
	}
	return sha256.Sum256(b)
}

// withRevision puts a revision into the comment of a schema. Current CLIs give the model a changed schema or description in a running conversation
// only when the schema itself differs from the former.
func withRevision(schema json.RawMessage, revision uint64) json.RawMessage {
	comment := "revision " + strconv.FormatUint(revision, 10)
	out := []byte{'{'}
	err := protocol.Members(schema, func(key, value []byte) bool {
		if string(key) == "$comment" {
			if author, ok := protocol.Unquote(value); ok && author != "" {
				comment = author + " (" + comment + ")"
			}
			return true
		}
		out = append(protocol.AppendString(out, string(key)), ':')
		out = append(append(out, value...), ',')
		return true
	})
	if err != nil {
		return schema
	}
	out = append(out, `"$comment":`...)
	return slices.Clip(append(protocol.AppendString(out, comment), '}'))
}

// tombs are the tools that are gone since a session began, as its CLI is shown them. Current CLIs go on offering to the model what was removed in a running
// conversation, and refuse the call with a text of their own; a stone in its place tells the model before it calls, and lets a call come through to our
// answer. They are few, because each costs the model a line.
func (r *registry) tombs(k listKey) []mcp.Tool {
	var dead []gone
	for _, g := range r.gone {
		if g.name.Server == k.server && g.since > k.since {
			dead = append(dead, g)
		}
	}
	if len(dead) > maxTomb {
		latestFirst(dead)
		dead = dead[:maxTomb]
	}
	list := make([]mcp.Tool, len(dead))
	for i, g := range dead {
		text := "This tool was removed. Do not call it."
		if off := r.off[g.name.String()]; off != nil {
			text = "This tool is not available: " + off.why + ". Do not call it."
		}
		list[i] = mcp.Tool{Name: g.name.Tool, Description: text, InputSchema: withRevision(noInput, g.since)}
		if k.alwaysLoad {
			list[i].Meta = withMember(nil, "anthropic/alwaysLoad", []byte("true"))
		}
	}
	return list
}

var noInput = json.RawMessage(`{"type":"object","properties":{},"required":[]}`)

// wasRemoved notes in e that there was a tool of that name until a reload.
func (r *registry) wasRemoved(e *UnknownToolError, is func(gone) bool) {
	e.Removed = e.Why == "" && slices.ContainsFunc(r.gone, is)
}

// some names a few of the server's tools.
func (s *server) some() (names []string) {
	for _, t := range s.tools[:min(maxNear, len(s.tools))] {
		names = append(names, t.name.Tool)
	}
	return names
}
