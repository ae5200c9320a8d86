package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

	"github.com/luatools/luatools/protocol"
)

// Notifier sends a notification to the client of the connection that a call came by. Safe for concurrent use; it
// never waits for an acknowledgement. A nil params is left out.
//
// Progress of a call must be sent before the call returns: a client may refuse what comes after the result.
type Notifier interface {
	Notify(method string, params protocol.Appender) error
}

type notifierKey struct{}

// WithNotifier returns a context that carries n to the tools called under it.
func WithNotifier(ctx context.Context, n Notifier) context.Context {
	return context.WithValue(ctx, notifierKey{}, n)
}

// NotifierFrom returns the connection's Notifier, or nil.
func NotifierFrom(ctx context.Context) Notifier {
	n, _ := ctx.Value(notifierKey{}).(Notifier)
	return n
}

// Methods of the notifications that a server of tools sends.
const (
	MethodListChanged = "notifications/tools/list_changed"
	MethodProgress    = "notifications/progress"
)

// Progress is the params of notifications/progress.
type Progress struct {
	Token    json.RawMessage // CallToolParams.ProgressToken
	Progress float64         // must grow from one to the next
	Total    float64         // 0 when unknown
	Message  string          // may be empty
}

// AppendJSON implements [protocol.Appender].
func (p *Progress) AppendJSON(dst []byte) ([]byte, error) {
	if p.Token == nil {
		return dst, fmt.Errorf("progress without a token")
	}
	if math.IsNaN(p.Progress+p.Total) || math.IsInf(p.Progress, 0) || math.IsInf(p.Total, 0) {
		return dst, fmt.Errorf("progress %v of %v is no JSON number", p.Progress, p.Total)
	}
	dst = append(dst, `{"progressToken":`...)
	dst = append(dst, p.Token...)
	dst = append(dst, `,"progress":`...)
	dst = strconv.AppendFloat(dst, p.Progress, 'f', -1, 64)
	if p.Total != 0 {
		dst = append(dst, `,"total":`...)
		dst = strconv.AppendFloat(dst, p.Total, 'f', -1, 64)
	}
	dst = appendText(dst, "message", p.Message)
	return append(dst, '}'), nil
}

// notification is one on the wire. Unlike a protocol.Request it encodes its params in the same pass.
type notification struct {
	method string
	params protocol.Appender
}

func (n notification) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(dst, `{"jsonrpc":"2.0","method":`...)
	dst = protocol.AppendString(dst, n.method)
	if n.params != nil {
		var err error
		if dst, err = n.params.AppendJSON(append(dst, `,"params":`...)); err != nil {
			return dst, fmt.Errorf("encode %s: %w", n.method, err)
		}
	}
	return append(dst, '}'), nil
}
