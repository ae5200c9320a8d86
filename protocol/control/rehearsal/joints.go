// Package rehearsal is the other end of the control protocol: an agent without a model that speaks the CLI's side in memory.
package rehearsal

import (
	"context"

	"github.com/luatools/luatools/protocol/control"
)

// Options says how the agent behaves. The zero value is a current CLI that calls what the prompt says.
type Options struct {
	Old bool // like CLI 2.1.33
	// … every behaviour of protocol.md §13.5 gets its field here
}

// Start starts an agent in memory; it implements control.Peer.
func Start(ctx context.Context, o Options) control.Peer { return nil }
