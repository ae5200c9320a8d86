package host

import (
	"context"
	"encoding/json"
	"math"
	"strconv"
	"sync"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/protocol/mcp"
)

// progress is where the reports of one call go: to the observer, and to the client when it sent a progress token.
type progress struct {
	call     *call
	notifier mcp.Notifier // nil without a token
	token    json.RawMessage

	// mu is held while a report is written. It serialises one call's own reports with its end: MCP wants them strictly
	// rising, and none after the result.
	mu    sync.Mutex
	ended bool
	last  float64
}

func (p *progress) begin(ctx context.Context, c *call, token json.RawMessage) {
	p.call, p.token, p.last = c, token, math.Inf(-1)
	if token != nil {
		p.notifier = mcp.NotifierFrom(ctx)
	}
}

// send reports done of total (0: unknown). What is no number or comes after the end is dropped; a report that does not rise goes to the
// observer only. A client that has gone away is no fault of the call.
func (p *progress) send(done, total float64, message string) {
	if !finite(done) || !finite(total) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	if done != 0 || message != "" {
		p.call.observe(CallEvent{Progress: done, Total: total, Message: message})
	}
	if p.notifier == nil || done <= p.last {
		return
	}
	p.last = done
	_ = p.notifier.Notify("notifications/progress", &progressParams{p.token, done, total, message})
}

func (p *progress) end() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
}

func finite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// progressParams is the params object of notifications/progress.
type progressParams struct {
	token       json.RawMessage
	done, total float64
	message     string
}

// AppendJSON implements [protocol.Appender].
func (p *progressParams) AppendJSON(dst []byte) ([]byte, error) {
	dst = append(append(dst, `{"progressToken":`...), p.token...)
	dst = appendNumber(append(dst, `,"progress":`...), p.done)
	if p.total > 0 {
		dst = appendNumber(append(dst, `,"total":`...), p.total)
	}
	if p.message != "" {
		dst = protocol.AppendString(append(dst, `,"message":`...), p.message)
	}
	return append(dst, '}'), nil
}

func appendNumber(dst []byte, f float64) []byte {
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64)
}

type progressKey struct{}

// Progress reports how far the call of a Go tool is: done of total (0: unknown), with a message that may be empty. ctx is the one
// the tool was called with; outside a call it does nothing. Clients get rising reports only.
func Progress(ctx context.Context, done, total float64, message string) {
	if p, ok := ctx.Value(progressKey{}).(*progress); ok {
		p.send(done, total, message)
	}
}
