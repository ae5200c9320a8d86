package host

import (
	"encoding/json"
	"time"

	"github.com/luatools/luatools/protocol/mcp"
)

// CallEvent is one call as it begins, as it reports progress, or as it ends. Each call that begins ends, with the same CallID.
type CallEvent struct {
	Tool, CallID, ToolUseID string          // Tool as people name it; of an unknown tool, as the caller wrote it
	Input                   json.RawMessage // in normal form; as it came when it does not fit the schema
	Done                    bool
	Denied                  bool
	Result                  *mcp.CallToolResult // what the model reads; nil after a protocol error
	Err                     error               // fault for the author, or protocol error
	Duration                time.Duration       // of the run itself, without the wait for a person
	Progress, Total         float64             // of a progress report; Total 0: unknown
	Message                 string              // of a progress report, which has a Message or a Progress
}

// Observer sees each call begin and end. It is called by the goroutine of the call, several at once; a slow one slows the calls.
type Observer interface{ Call(CallEvent) }

// LogEntry is a line that a tool printed or logged, or that the host has to say (then Tool is empty, or the file it is about).
type LogEntry struct{ Level, Tool, CallID, Text string }

func (h *Host) observe(e CallEvent) {
	if h.o.Observer != nil {
		h.o.Observer.Call(e)
	}
}

func (h *Host) log(e LogEntry) {
	if h.o.Log != nil {
		h.o.Log(e)
	}
}
