// Package luajson converts between JSON text and Lua values without Go maps in between. null, empty lists, empty objects and integers beyond 2^53
// survive a round trip.
package luajson

import (
	"errors"

	lua "github.com/yuin/gopher-lua"
)

var errTODO = errors.New("not built yet")

// Null is json.null: a userdata that raises on every operator and index.
var Null *lua.LUserData

// Array and Object mark tables ([] and {} that stay what they are when empty): shared, protected metatables.
func MarkArray(t *lua.LTable)  {}
func MarkObject(t *lua.LTable) {}

// Limits bounds a conversion. A zero field means its default (depth 100, nodes 1e6, bytes 64 MiB).
type Limits struct{ Depth, Nodes, Bytes int }

// DecodeOptions: Nulls keeps null members of objects as Null instead of leaving them out (nulls in lists are always Null).
type DecodeOptions struct {
	Limits Limits
	Nulls  bool
}

// Decode reads one JSON value. Strings share one copy of b. Errors say where ("at byte 12").
func Decode(b []byte, o DecodeOptions) (lua.LValue, error) { return lua.LNil, errTODO }

// EncodeOptions: Schema decides where an unmarked empty table is a list or an object (nil: "[]"). Indent writes it for people.
type EncodeOptions struct {
	Limits Limits
	Indent string
}

// Append encodes v at the end of dst. It never calls a metamethod; cycles, functions, NaN, sparse lists, mixed keys and what is over a limit are errors
// that name the path ("result.items[3]: a function cannot be sent").
func Append(dst []byte, v lua.LValue, o EncodeOptions) ([]byte, error) { return dst, errTODO }

// Integer returns the value for an integer beyond 2^53 by its digits; equal digits are the same value within a call.
