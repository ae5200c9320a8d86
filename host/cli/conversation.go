package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/luatools/luatools/host"
	"github.com/luatools/luatools/protocol/control"
)

// conversation prints a session: answers to stdout, what happens to stderr.
type conversation struct {
	a     *app
	d     *display
	own   string             // prefix of the tools that the host itself shows as they run
	tools func() []host.Info // those of the host at this moment
	began time.Time

	turns, calls int
	cost         float64
	loggedOut    bool               // the CLI said that it is not logged in
	met          bool               // the CLI has said what it offers
	open         map[string]openUse // calls that the model asked for and that have no result yet
	last         *control.Result
}

type openUse struct {
	tool  string
	input json.RawMessage // kept for a tool of ours only
	began time.Time
	ours  bool
}

// hold asks each prompt after the answer to the one before, and returns the exit code that the last result asks for.
func (c *conversation) hold(ctx context.Context, s *host.Session, prompts []string) int {
	code := exitOK
	for _, p := range prompts {
		c.last = nil
		for m, err := range s.Query(ctx, p) {
			if err != nil {
				return c.broken(ctx, err)
			}
			c.message(m)
		}
		if c.last == nil {
			return c.broken(ctx, errors.New("the session ended without a result"))
		}
		code = c.result(c.last)
		if c.loggedOut || ctx.Err() != nil {
			return code
		}
	}
	// Delegated tasks may go on after the last result; closing now would make their calls fail unseen.
	for m, err := range s.Rest(ctx) {
		if err != nil {
			break // the answers are here; Close tells how the session ended
		}
		c.message(m)
	}
	return code
}

// broken reports a session that ended before its result.
func (c *conversation) broken(ctx context.Context, err error) int {
	switch {
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.Is(err, control.ErrTimeout):
		return c.a.fail(exitTimeout, err)
	}
	return c.a.fail(exitFailed, err)
}

// message shows one line of the conversation.
func (c *conversation) message(m host.Message) {
	if c.a.opt.json {
		fmt.Fprintf(c.a.out, "%s\n", m.Raw)
	}
	switch m.Type {
	case "assistant":
		if m.AssistantError() == "authentication_failed" {
			c.loggedOut = true
		}
		for _, u := range m.ToolUses() {
			c.calls++
			c.opened(u)
		}
	case "user":
		for _, r := range m.ToolResults() {
			c.closed(r)
		}
	case "system":
		if m.Subtype == "api_retry" {
			c.a.notef("the API does not answer; the CLI tries again")
		}
		if init, ok := m.Init(); ok {
			c.init(init)
		}
	case "result":
		if r, ok := m.Result(); ok {
			c.last = r
		}
	}
}

// init tells what of ours did not reach the CLI. The CLI says at each turn what it offers; the first time counts, since a later list
// may be behind a reload.
func (c *conversation) init(i *control.Init) {
	if c.met {
		return
	}
	c.met = true
	if c.a.opt.verbose {
		c.a.sayf("● claude %s · %s · %d tools", i.Version, i.Model, len(i.Tools))
	}
	status := map[string]string{}
	for _, s := range i.Servers {
		status[s.Name] = s.Status
		if s.Status != "connected" && s.Status != "pending" {
			c.a.notef("warning: the CLI reports server %q as %s", s.Name, s.Status)
		}
	}
	for _, t := range c.tools() {
		switch state, declared := status[t.Name.Server]; {
		case !declared:
			status[t.Name.Server] = "missing"
			c.a.notef("warning: the CLI does not know the server %q, so the model has none of its tools", t.Name.Server)
		case state == "connected" && !slices.Contains(i.Tools, t.Name.Wire()):
			c.a.notef("warning: the CLI does not offer %s to the model; its settings may forbid it", t.Name)
		}
	}
}

// opened and closed show the CLI's own tools; the host shows those of the folder. Of these only the calls that never came to the host
// are shown here: the CLI refused them, or was told that they are denied.
func (c *conversation) opened(u control.ToolUse) {
	if c.open == nil {
		c.open = map[string]openUse{}
	}
	if strings.HasPrefix(u.Name, c.own) {
		c.open[u.ID] = openUse{tool: host.ParseToolName(u.Name).String(), input: u.Input, ours: true}
		return
	}
	c.open[u.ID] = openUse{tool: u.Name, began: time.Now()}
	c.d.began(u.Name, u.Input)
}

func (c *conversation) closed(r control.ToolResult) {
	u, ok := c.open[r.ToolUseID]
	if !ok {
		return
	}
	delete(c.open, r.ToolUseID)
	why := ""
	if r.IsError {
		why = gist(resultText(r.Content))
	}
	switch {
	case !u.ours:
		c.d.ended(u.tool, why, r.IsError, time.Since(u.began), 0)
	case !c.d.observed(r.ToolUseID, u.tool) && r.IsError:
		c.d.refused(u.tool, u.input, why)
	}
}

// resultText is the text of a tool_result's content: a string, or a list of blocks.
func resultText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &blocks) == nil && len(blocks) > 0 {
		return blocks[0].Text
	}
	return ""
}

// result prints one answer and returns the exit code that it asks for.
func (c *conversation) result(r *control.Result) int {
	c.turns += r.NumTurns
	c.cost = r.CostUSD
	if !r.Failed() {
		if !c.a.opt.json {
			fmt.Fprintln(c.a.out, c.a.terminalText(r.Text))
		}
		return exitOK
	}
	c.a.sayf("error: %s", r.Err())
	switch {
	case c.loggedOut:
		c.a.sayf("log in by running claude once, or set ANTHROPIC_API_KEY")
		return exitNoCLI
	case r.Subtype == "error_max_turns", r.Subtype == "error_max_budget_usd":
		return exitLimit
	case len(r.PermissionDenials) > 0:
		return exitDenied
	}
	return exitFailed
}

// summary ends the session with a line of figures.
func (c *conversation) summary() {
	if c.a.opt.quiet || c.last == nil {
		return
	}
	mark := "✓"
	if c.last.Failed() {
		mark = "✗"
	}
	c.a.sayf("%s %s · %s · %.1f s · $%.3f", mark, count(c.turns, "turn"), count(c.calls, "tool call"), time.Since(c.began).Seconds(), c.cost)
}
