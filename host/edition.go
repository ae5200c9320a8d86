package host

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/luatools/luatools/protocol"
)

// edition is what a host remembers of a name, also after its tool is gone: whether what clients are shown under it changed, and when.
type edition struct {
	shown    [sha256.Size]byte
	revision uint64
	plain    string
}

// date numbers r and finds the tools of its that are shown otherwise than when the host last had them. It is called with h.build held, or before
// the host is in use. Go tools never change; an entry that before has too has not changed.
func (h *Host) date(r, before *registry) {
	r.seq = 1
	if before != nil {
		r.seq = before.seq + 1
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
		e.shown, e.plain = shown, t.plain
		t.revision = e.revision
	}
}

// shown is a digest of what the CLI is shown of the tool. An entry that cannot be encoded is not listed.
func (t *tool) shown() [sha256.Size]byte {
	if t.forCLI == nil {
		return [sha256.Size]byte{}
	}
	def := t.listed(listKey{cli: true, alwaysLoad: true, maxResultSize: true, since: ^uint64(0)})
	b, _ := def.AppendJSON(nil)
	return sha256.Sum256(b)
}

// mourn notes in e when the host once had a tool of that name. It looks through everything that the host remembers.
func (h *Host) mourn(e *UnknownToolError, r *registry, is func(ToolName, *edition) bool) {
	if e.Why != "" {
		return
	}
	h.build.Lock()
	defer h.build.Unlock()
	for name, was := range h.history {
		e.Removed = e.Removed || is(name, was) && r.byName[name.String()] == nil
	}
}

// some names a few of the server's tools.
func (s *server) some() (names []string) {
	for _, t := range s.tools[:min(maxNear, len(s.tools))] {
		names = append(names, t.name.Tool)
	}
	return names
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
