package host

import (
	"context"
	"encoding/json"

	"github.com/luatools/luatools/protocol/mcp"
)

// plainView is all tools under their plain names, for MCP clients that know one server. It implements [mcp.Catalog].
type plainView struct {
	h    *Host
	from *caller
}

func (v *plainView) ToolList() json.RawMessage { return v.h.registry().list(listKey{}) }

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
		return nil, v.h.unknownTool(e, p)
	}
	return v.h.gate(ctx, v.from, t, p), nil
}

// serverView is one server of a session, its tools under their bare names. It implements [mcp.Catalog].
type serverView struct {
	s      *Session
	server string
}

func (v *serverView) ToolList() json.RawMessage {
	f := v.s.features()
	return v.s.h.registry().list(listKey{
		server: v.server, cli: true, alwaysLoad: f.AlwaysLoad, maxResultSize: f.MaxResultSize,
	})
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
		return nil, h.unknownTool(r.unknown(p.Name, s), p)
	}
	return h.gate(ctx, &v.s.from, t, p), nil
}
