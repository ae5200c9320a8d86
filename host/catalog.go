package host

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/luatools/luatools/protocol/mcp"
)

// plainView is all tools under their plain names, for MCP clients that know one server. It implements [mcp.Catalog].
type plainView struct {
	h    *Host
	from *caller

	mu   sync.Mutex
	last json.RawMessage // the list that the client had, or was told of; nil: none yet
}

func (v *plainView) ToolList() json.RawMessage {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.last = v.h.registry().list(listKey{})
	return v.last
}

// stale reports whether the client knows another list than that of this moment, and takes it for told then. One that never asked needs to
// be told nothing.
func (v *plainView) stale() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	list := v.h.registry().list(listKey{})
	if v.last == nil || bytes.Equal(v.last, list) {
		return false
	}
	v.last = list
	return true
}

// CallTool judges by the snapshot of this moment: a reload between two steps of a call cannot mix two versions of a tool.
func (v *plainView) CallTool(ctx context.Context, p *mcp.CallToolParams) (*mcp.CallToolResult, error) {
	r := v.h.registry()
	t := r.byName[p.Name]
	if t == nil || t.plain != p.Name {
		e := r.unknown(p.Name, nil)
		if off := r.off[p.Name]; off != nil && off.plain == p.Name {
			e = &UnknownToolError{Name: p.Name, Why: off.why}
		}
		for i, n := range e.Near {
			e.Near[i] = r.byName[n].plain
		}
		r.wasRemoved(e, func(g gone) bool { return g.plain == p.Name })
		return nil, v.h.unknownTool(e, p)
	}
	return v.h.pass(ctx, v.from, t, p), nil
}

// serverView is one server of a session, its tools under their bare names. It implements [mcp.Catalog].
type serverView struct {
	s      *Session
	server string
}

func (v *serverView) ToolList() json.RawMessage {
	list := v.s.h.registry().list(v.s.key(v.server))
	if srv := v.s.server(v.server); srv != nil {
		srv.listed(list)
	}
	return list
}

func (v *serverView) CallTool(ctx context.Context, p *mcp.CallToolParams) (*mcp.CallToolResult, error) {
	h := v.s.h
	r := h.registry()
	s := r.server(v.server)
	if s == nil {
		s = &server{name: v.server}
	}
	t := s.byName[p.Name]
	if t == nil {
		e := r.unknown(p.Name, s)
		r.wasRemoved(e, func(g gone) bool { return g.name == ToolName{s.name, p.Name} })
		if e.Removed && len(e.Near) == 0 {
			e.Near = s.some()
		}
		return nil, h.unknownTool(e, p)
	}
	return h.pass(ctx, &v.s.from, t, p), nil
}
