// Package luabind is what Lua sees of Go: values, the schema builder, tool{}, results, ctx and the modules.
package luabind

import (
	"encoding/json"
	"errors"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/protocol/mcp"
)

var errTODO = errors.New("not built yet")

// Module is one library as Lua sees it.
type Module = sandbox.Module

// Modules returns the modules that every tool file has: json, text, log, param, tool, result and friends, array, print, …
func Modules() []*Module { return nil }

// Permissions is what a tool's code declares that it touches.
type Permissions struct {
	Net, Read, Write, Env, Run, DB, Secrets, Tools []string
	Raw                                            json.RawMessage // as declared, for display
}

// Definition is one tool as declared by tool{…}.
type Definition struct {
	Name, Title, Description                     string
	Input, Output                                json.RawMessage // emitted schemas; Output nil when not declared
	OutputDeclared                               bool
	Permissions                                  Permissions
	ReadOnly, Destructive, Idempotent, OpenWorld *bool         // nil: not given
	Timeout                                      time.Duration // 0: not given
	Rate                                         string
	Concurrency                                  int
	Confirm                                      string         // the text form
	ConfirmFunc                                  *lua.LFunction // the function form
	Keep                                         bool
	AlwaysLoad                                   bool            // default true
	MaxResult                                    int64           // bytes; 0: default
	Examples                                     json.RawMessage // list of { input, output, note }
	Enabled                                      *bool
	EnabledFunc                                  *lua.LFunction
	Annotations, Icons, Meta                     json.RawMessage
	Run                                          *lua.LFunction
	Line                                         int // of the tool call
}

// Tools returns the definitions among the values that a file returned (one tool, or a list of tools), in order.
// In mode Lean only Run, ConfirmFunc and EnabledFunc are set.
func Tools(values []lua.LValue) ([]*Definition, error) { return nil, errTODO }

// CallInfo is what a call carries into Lua (sandbox.Call.Data points at one). Hosts fill it in; every func may be nil.
type CallInfo struct {
	Tool, Server, CallID, ToolUseID string
	Deadline                        time.Time
	Progress                        func(done, total float64, message string) // total 0: unknown
	Log                             func(level, message string)               // print and log.*
}

// NewContext returns the ctx value of a call.
func NewContext(L *lua.LState, info *CallInfo) lua.LValue { return lua.LNil }

// ResultOptions: how a result is made of what run returned.
type ResultOptions struct {
	Output    bool  // the tool declares output: a table becomes structured
	MaxResult int64 // bytes
}

// Result makes a tool's result of what run returned (results of all kinds of the Lua API). An error is the tool's fault, for its author;
// the text is fit for the model.
func Result(L *lua.LState, values []lua.LValue, o ResultOptions) (*mcp.CallToolResult, error) {
	return nil, errTODO
}
