package host

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/luatools/luatools/protocol/mcp"
)

// ServeLines serves all tools as one MCP server on newline-delimited JSON: r is the client's output, w its input. Nobody is asked, so what would
// ask is denied. It blocks until r ends or ctx is done, and returns when every call has ended.
//
// A client is told of a list that differs from the one it had (notifications/tools/list_changed), while [Host.Watch] runs.
func (h *Host) ServeLines(ctx context.Context, r io.Reader, w io.Writer) error {
	v := &plainView{h: h, from: &caller{}}
	f := newFollower(nil)
	defer f.end()
	attach := func(n mcp.Notifier) {
		f.loop = func(ctx context.Context) { v.follow(ctx, f.slot, n) }
		h.followers.add(f)
	}
	defer h.followers.drop(f)
	return h.plainServer(v).ServeLines(ctx, r, w, mcp.LinesOptions{Attach: attach})
}

// follow tells a client of lists that it does not know until ctx is done.
func (v *plainView) follow(ctx context.Context, changed <-chan struct{}, n mcp.Notifier) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			if v.stale() {
				_ = n.Notify(mcp.MethodListChanged, nil) // a connection that is gone needs no notice
			}
		}
	}
}

func (h *Host) plainServer(v *plainView) *mcp.Server {
	info := mcp.Info{Name: "luatools", Version: Version, Instructions: h.registry().instructions()}
	return mcp.NewServer(info, v, mcp.Options{Panic: h.panicked})
}

// panicked logs a panic between the protocol and the gate; the client gets a plain error.
func (h *Host) panicked(value any, stack []byte) {
	h.log(LogEntry{Level: "error", Text: fmt.Sprintf("panic: %v\n%s", value, stack)})
}

// instructions joins those of all servers, each under its name where there are several.
func (r *registry) instructions() string {
	var parts, names []string
	for _, s := range r.servers {
		if text := strings.TrimSpace(s.instructions); text != "" {
			parts, names = append(parts, text), append(names, s.name)
		}
	}
	if len(parts) > 1 {
		for i := range parts {
			parts[i] = names[i] + ": " + parts[i]
		}
	}
	return strings.Join(parts, "\n\n")
}
