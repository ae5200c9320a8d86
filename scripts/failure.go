package scripts

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/protocol/mcp"
)

// stopped is the fault of a call whose context ended while no Lua code ran.
func (c *call) stopped(ctx context.Context) *sandbox.Fault {
	f := &sandbox.Fault{Kind: sandbox.Cancelled, Message: "the call was cancelled", File: c.tool.File, Line: c.tool.Line}
	if ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		f.Kind, f.Message = sandbox.Timeout, "the call ran out of time"
	}
	return f
}

// asFault is err as a *sandbox.Fault: errors of the Go side around a call, such as a result that cannot be sent, are faults of the tool.
func asFault(err error, t *Tool) *sandbox.Fault {
	if f, ok := errors.AsType[*sandbox.Fault](err); ok {
		return f
	}
	return &sandbox.Fault{Kind: sandbox.Broken, Message: brokenPrefix + err.Error() + place(t.File, t.Line), File: t.File, Line: t.Line}
}

// crash is the fault of a Go panic; what it said is for the host's log alone.
func crash(p any, file string, line int) *sandbox.Fault {
	return &sandbox.Fault{Kind: sandbox.Crashed, Message: "the tool has a fault that the host did not expect; its log says more",
		File: file, Line: line, Panic: fmt.Sprintf("%v\n%s", p, debug.Stack())}
}

// brokenPrefix begins the message of every fault of kind Broken, here and in the sandbox; the place ends it.
const brokenPrefix = "the tool has a fault: "

func place(file string, line int) string {
	switch {
	case file == "":
		return ""
	case line <= 0:
		return fmt.Sprintf(" (%s)", file)
	}
	return fmt.Sprintf(" (%s:%d)", file, line)
}

// bare is the fault's message for readers who see its place beside it.
func bare(f *sandbox.Fault) string {
	message := strings.TrimSuffix(strings.TrimPrefix(f.Message, brokenPrefix), place(f.File, f.Line))
	if f.Hint != "" {
		message += " — " + f.Hint
	}
	return message
}

// failure is what the model reads of a fault: one plain sentence, which says whose affair it is.
func (c *call) failure(f *sandbox.Fault) *mcp.CallToolResult {
	text := f.Message
	switch f.Kind {
	case sandbox.Raised, sandbox.Denied:
		if f.Hint != "" {
			text += " — " + f.Hint
		}
	case sandbox.Timeout:
		text = fmt.Sprintf("the call was stopped after %s, %s", roundDuration(c.limits.Wall), c.limit())
	case sandbox.Limit:
		text = "the tool went over a limit: " + text + place(f.File, f.Line)
	}
	return mcp.ErrorResult(text)
}

// limit names the time limit that holds for the call and where it is set.
func (c *call) limit() string {
	switch {
	case c.ours:
		return fmt.Sprintf("the limit of %s/%s (timeout in %s)", c.tool.Server, c.tool.Name, c.tool.timeoutIn)
	case c.tool.Timeout > 0:
		return "the limit that the caller set (--timeout), which is shorter than the tool's own"
	}
	return "the limit of a call (--timeout, or timeout in the tool)"
}

func roundDuration(d time.Duration) time.Duration {
	switch {
	case d > time.Minute:
		return d.Round(time.Second)
	case d > time.Second:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}
