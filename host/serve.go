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
func (h *Host) ServeLines(ctx context.Context, r io.Reader, w io.Writer) error {
	return h.plainServer().ServeLines(ctx, r, w, mcp.LinesOptions{})
}

func (h *Host) plainServer() *mcp.Server {
	info := mcp.Info{Name: "luatools", Version: Version, Instructions: h.registry().instructions()}
	return mcp.NewServer(info, &plainView{h: h, from: &caller{}}, mcp.Options{Panic: h.panicked})
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
