// Package scripts turns a folder of Lua files into tools.
package scripts

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/protocol/mcp"
	"github.com/luatools/luatools/protocol/schema"
)

var errTODO = errors.New("not built yet")

// Options configures a Library. The zero value works.
type Options struct {
	Server string                         // name of the server of the top folder; empty: the folder's own name (design: "tools" when that does not fit)
	Limits sandbox.Limits                 // of one call
	Log    func(file, level, text string) // what tools print while they load or run outside a call; nil drops it
}

// Library reads a folder of *.lua files and publishes the result as a Snapshot.
type Library struct{}

// Open loads the folder. A missing folder is an error; a file that does not load is a Problem of the snapshot.
func Open(dir string, o Options) (*Library, error) { return nil, errTODO }

// Snapshot returns the current tools. Never nil.
func (l *Library) Snapshot() *Snapshot { return nil }

// Reload reads the folder again and swaps the snapshot; a file that fails keeps its last good tools.
func (l *Library) Reload(ctx context.Context) (*Snapshot, error) { return nil, errTODO }

// Close waits for running calls and frees idle states.
func (l *Library) Close() error { return nil }

// Snapshot is all tools at one moment. It never changes.
type Snapshot struct {
	Revision uint64
	Servers  []*Server // sorted by name; each has at least one enabled tool
	Problems []*Error  // faults and warnings, sorted by file and line
	Ignored  []Ignored
	Disabled []*Tool // loaded, but enabled said no
}

// Server is a folder of tools.
type Server struct {
	Name, Title, Version, Instructions string
	Tools                              []*Tool // sorted by name
	File                               string  // of server.lua; empty when there is none
}

// Tool is one callable. Fields are read-only.
type Tool struct {
	Server, Name string
	Definition   *luabind.Definition // of the scratch load: its functions must not be called
	Input        *schema.Schema
	Output       *schema.Schema // nil when not declared
	Timeout      time.Duration  // 0: the host's default
	File         string         // relative to the folder's parent: "tools/weather/current.lua"
	Line         int
	Why          string // of a disabled tool
}

// Call runs the tool on args, which must be in normal form (schema.Schema.Normalize). The CallInfo for Lua comes by WithCall.
// An error is a *sandbox.Fault for the author; the result (never nil) is what the model reads in any case.
func (t *Tool) Call(ctx context.Context, args json.RawMessage) (*mcp.CallToolResult, error) {
	return nil, errTODO
}

// ConfirmText returns what a person should be asked before this call, "" for nothing (the file's confirm, string or function of args).
func (t *Tool) ConfirmText(ctx context.Context, args json.RawMessage) (string, error) {
	return "", errTODO
}

// WithCall returns a context that carries info to the Lua code called under it.
func WithCall(ctx context.Context, info *luabind.CallInfo) context.Context { return ctx }

// Error is a fault in a file, for its author.
type Error struct {
	File      string // relative, as in Tool.File
	Line, Col int    // 1-based; 0 when unknown
	Warning   bool
	Message   string
	Frame     string // code frame of some lines with a marker, ends without newline
	Traceback string
}

func (e *Error) Error() string { return "" }

// Ignored is a file that holds no tools, with the reason.
type Ignored struct{ File, Reason string }
