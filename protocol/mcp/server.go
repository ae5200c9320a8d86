package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"

	"github.com/luatools/luatools/protocol"
)

// Catalog is what a Server offers. host implements it: one view for each server of a session, one of all tools for serve.
type Catalog interface {
	// ToolList returns the JSON array of tools, sorted by name, encoded once per snapshot.
	ToolList() json.RawMessage
	// CallTool runs one tool. An error is a protocol error (a *protocol.Error keeps its code, a cancelled context is
	// -32800, any other is -32603); a tool's own failure is a result with IsError. It must return when ctx is done.
	CallTool(context.Context, *CallToolParams) (*CallToolResult, error)
}

// Info names a server in its answer to initialize. Title and Instructions may be empty.
type Info struct{ Name, Title, Version, Instructions string }

// ClientInfo is what the client said of itself in initialize, ProtocolVersion as it asked for it.
type ClientInfo struct{ Name, Version, ProtocolVersion string }

// Options configures a Server. The zero value is one page and no hook.
type Options struct {
	PageSize   int                           // tools a page of tools/list; 0 means all on one
	Initialize func(ClientInfo)              // called at each initialize, before the answer; must not block
	Panic      func(value any, stack []byte) // told of what a Catalog or a hook panicked with; nil drops it
}

// Server answers MCP methods from a Catalog. It keeps no state between requests, so a repeated handshake is harmless.
// Safe for concurrent use.
type Server struct {
	catalog  Catalog
	options  Options
	identity []byte // of the answer to initialize, what follows the version
}

// NewServer serves c. It panics when c is nil.
func NewServer(info Info, c Catalog, o Options) *Server {
	if c == nil {
		panic("mcp: NewServer without a Catalog")
	}
	return &Server{catalog: c, options: o, identity: info.appendIdentity(nil)}
}

// Handle answers one request, and nil to a notification, which changes nothing here: notifications/cancelled is the
// transport's affair. A panic below becomes a -32603. The answer aliases req.
func (s *Server) Handle(ctx context.Context, req *protocol.Request) (res *protocol.Response) {
	if req.Notification() {
		return nil
	}
	defer func() {
		if p := recover(); p != nil {
			if s.options.Panic != nil {
				s.options.Panic(p, debug.Stack())
			}
			res = &protocol.Response{ID: req.ID, Error: protocol.Errorf(protocol.CodeInternal, "internal error in %s: %v", protocol.Brief(req.Method), p)}
		}
	}()
	result, err := s.dispatch(ctx, req)
	if err != nil {
		return &protocol.Response{ID: req.ID, Error: asError(ctx, err)}
	}
	return &protocol.Response{ID: req.ID, Result: result}
}

func (s *Server) dispatch(ctx context.Context, req *protocol.Request) (protocol.Appender, error) {
	switch req.Method {
	case "tools/call":
		return s.callTool(ctx, req.Params)
	case "tools/list":
		return s.listTools(req.Params)
	case "initialize":
		return s.initialize(req.Params)
	case "ping":
		return nil, nil
	}
	// Resources, prompts and the rest are not advertised, so they are as unknown as a misspelling.
	return nil, protocol.Errorf(protocol.CodeMethodNotFound, "method not found: %s", protocol.Brief(req.Method))
}

// asError turns what went wrong into a JSON-RPC error.
func asError(ctx context.Context, err error) *protocol.Error {
	if e, ok := errors.AsType[*protocol.Error](err); ok {
		return e
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		return protocol.Errorf(protocol.CodeCancelled, "cancelled: %v", context.Cause(ctx))
	}
	return &protocol.Error{Code: protocol.CodeInternal, Message: err.Error()}
}

func invalidParams(format string, args ...any) *protocol.Error {
	return protocol.Errorf(protocol.CodeInvalidParams, format, args...)
}

// object walks the members of params, which may be missing, until f finds a fault.
func object(what string, params json.RawMessage, f func(key, value []byte) *protocol.Error) *protocol.Error {
	if params == nil {
		return nil
	}
	var fault *protocol.Error
	if err := protocol.Members(params, func(key, value []byte) bool {
		fault = f(key, value)
		return fault == nil
	}); err != nil {
		return invalidParams("%s must be an object: %v", what, err)
	}
	return fault
}
