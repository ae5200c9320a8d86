package scripts

import (
	"context"
	"errors"
	"fmt"
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

// failure is what the model reads of a fault: one plain sentence, which says whose affair it is.
func (c *call) failure(f *sandbox.Fault) *mcp.CallToolResult {
	return mcp.ErrorResult(c.failureText(f))
}

func (c *call) failureText(f *sandbox.Fault) string {
	switch f.Kind {
	case sandbox.Raised, sandbox.Denied:
		if f.Hint != "" {
			return f.Message + " — " + f.Hint
		}
		return f.Message
	case sandbox.Timeout:
		return fmt.Sprintf("the call was stopped after %s, %s", roundDuration(c.limits.Wall), c.limit())
	case sandbox.Cancelled:
		return "the call was cancelled"
	case sandbox.Limit:
		return "the tool went over a limit: " + withPlace(f)
	case sandbox.Crashed:
		return "the tool has a fault: the call crashed and was thrown away: " + withPlace(f)
	}
	return "the tool has a fault: " + withPlace(f)
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

// withPlace is the fault's message with its file and line, where it does not say them itself.
func withPlace(f *sandbox.Fault) string {
	if f.File == "" {
		return f.Message
	}
	if f.Line <= 0 {
		return fmt.Sprintf("%s (%s)", f.Message, f.File)
	}
	return fmt.Sprintf("%s (%s:%d)", f.Message, f.File, f.Line)
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
