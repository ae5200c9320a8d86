package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/luatools/luatools/host"
)

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	if o, ok := stream.(*output); ok {
		stream = o.w
	}
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// coloured reports whether stderr takes colour.
func (a *app) coloured() bool {
	switch a.opt.color {
	case "always":
		return true
	case "never":
		return false
	}
	return os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" && isTerminal(a.err)
}

// display shows calls as they happen, on stderr. It is safe for concurrent use.
type display struct {
	mu     sync.Mutex
	w      io.Writer
	colour bool
	quiet  bool
	debug  bool                      // also what the host has to say for those who look for a fault
	last   map[string]host.CallEvent // the end of the last call of a tool, for the exit code of call
	calls  map[string]int            // calls that came to the host, by tool use id, or by tool where the CLI sent none; nil without a session
}

func (a *app) display() *display {
	return &display{w: a.err, colour: a.coloured(), quiet: a.opt.quiet, debug: a.opt.verbose, last: map[string]host.CallEvent{}}
}

// Call implements host.Observer.
func (d *display) Call(e host.CallEvent) {
	switch {
	case e.Done:
		d.mu.Lock()
		d.last[e.Tool] = e
		if d.calls != nil {
			d.calls[cmp.Or(e.ToolUseID, e.Tool)]++
		}
		d.mu.Unlock()
		d.ended(e.Tool, outcome(e), e.Denied || e.Err != nil || e.Result != nil && e.Result.IsError, e.Duration, size(e))
	case e.Message != "" || e.Progress != 0:
		d.progress(e)
	default:
		d.began(e.Tool, e.Input)
	}
}

// began shows that a tool runs and with what.
func (d *display) began(tool string, input json.RawMessage) {
	d.line("36", "› %s %s", tool, middle(oneLine(string(input)), 200))
}

// ended shows how a call went.
func (d *display) ended(tool, outcome string, failed bool, took time.Duration, bytes int) {
	mark, colour := "✓", "32"
	if failed {
		mark, colour = "✗", "31"
	}
	text := fmt.Sprintf("%s %s %s", mark, tool, duration(took))
	if bytes > 0 {
		text += " · " + count(bytes, "byte")
	}
	if outcome != "" {
		text += " · " + middle(oneLine(outcome), 200)
	}
	d.line(colour, "%s", text)
}

// observed reports whether the host saw the call of a tool use, and forgets it.
func (d *display) observed(useID, tool string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range []string{useID, tool} {
		if d.calls[key] > 0 {
			if d.calls[key]--; d.calls[key] == 0 {
				delete(d.calls, key)
			}
			return true
		}
	}
	return false
}

// refused shows a call that never came to the host.
func (d *display) refused(tool string, input json.RawMessage, why string) {
	d.line("31", "✗ %s %s · %s", oneLine(tool), middle(oneLine(string(input)), 100), middle(oneLine(why), 200))
}

func (d *display) progress(e host.CallEvent) {
	text := fmt.Sprintf("%g", e.Progress)
	if e.Total > 0 {
		text += fmt.Sprintf("/%g", e.Total)
	}
	d.line("2", "  %s %s %s", e.Tool, text, middle(oneLine(e.Message), 200))
}

// log shows a line that a tool printed or logged.
func (d *display) log(e host.LogEntry) {
	if e.Level == "debug" && e.Tool == "" && !d.debug {
		return
	}
	who := e.Tool
	if who != "" {
		who += ": "
	}
	level := ""
	if e.Level != "info" && e.Level != "" {
		level = e.Level + ": "
	}
	d.line("2", "  %s%s%s", who, level, strings.TrimRight(visible(e.Text), "\n"))
}

// line prints one line unless told to be quiet.
func (d *display) line(colour, format string, args ...any) {
	if !d.quiet {
		d.fault(colour, format, args...)
	}
}

// fault prints one line, also when told to be quiet: something does not work as the files say.
func (d *display) fault(colour, format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if d.colour {
		s = "\x1b[" + colour + "m" + s + "\x1b[0m"
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprintln(d.w, s)
}

// outcome is why a call failed, in one line; empty for one that did not.
func outcome(e host.CallEvent) string {
	if e.Result == nil {
		if e.Err != nil {
			return e.Err.Error()
		}
		return ""
	}
	if !e.Result.IsError {
		return ""
	}
	for _, c := range e.Result.Content {
		if c.Type == "text" {
			return gist(c.Text)
		}
	}
	return "failed"
}

// gist is the line of a text that tells most: the first, or with it the first item of the list that it announces.
func gist(text string) string {
	first, rest, _ := strings.Cut(text, "\n")
	if !strings.HasSuffix(first, ":") {
		return first
	}
	item, _, _ := strings.Cut(strings.TrimLeft(rest, "\n"), "\n")
	return strings.TrimSuffix(first+" "+strings.TrimPrefix(item, "- "), ": ")
}

// size is how many bytes of text and data a result holds.
func size(e host.CallEvent) (n int) {
	if e.Result == nil || e.Result.IsError {
		return 0
	}
	for _, c := range e.Result.Content {
		n += len(c.Text) + len(c.Data) + len(c.Resource)
	}
	return n
}

// duration writes a time the way people read it.
func duration(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

// end returns how the last call of a tool went.
func (d *display) end(tool string) host.CallEvent {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.last[tool]
}
