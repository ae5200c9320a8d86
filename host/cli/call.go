package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/luatools/luatools/host"
	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/protocol/mcp"
	"github.com/luatools/luatools/protocol/schema"
)

var callCommand = &command{
	name:  "call",
	args:  "TOOL [key=value… | '{json}' | -]",
	short: "call one tool, without a model",
	long: `Calls one tool and prints its result: the text blocks, or the structured result as indented JSON. TOOL is server/tool,
mcp__server__tool, or the bare name when only one server has it. Arguments are key=value words (text where the tool wants text,
else read as JSON; a key given twice makes a list), one JSON object, or - for a JSON object on stdin.
The call is yours, so nothing asks; --deny still holds.
Exit: 0 done · 1 the tool failed, or its arguments do not fit · 2 no such tool, or a line that cannot be read · 4 denied · 6 took too long.`,
	flags: func(a *app, fs *pflag.FlagSet) {},
	run:   (*app).call,
}

func (a *app) call(args []string) int {
	if len(args) == 0 {
		return a.misuse("call which tool? luatools call TOOL key=value…; luatools list shows them")
	}
	d := a.display()
	h, code := a.open(host.Options{Observer: d, Log: d.log})
	if code != exitOK {
		return code
	}
	defer h.Close()
	info, code := a.lookup(h, args[0])
	if code != exitOK {
		return code
	}
	words, code := a.stdinArgument(args[1:])
	if code != exitOK {
		return code
	}
	input, err := schema.Arguments(words, info.Schema)
	if err != nil {
		return a.misuse("%s: %s", info.Name, wordFault(err, words))
	}
	ctx, stop, signalled := signals(context.Background())
	defer stop()
	result, err := h.Call(ctx, info.Name, input)
	if code := signalled(); code != exitOK {
		return code
	}
	if err != nil {
		return a.fail(exitFailed, err)
	}
	return a.printResult(result, d.end(info.Name.String()))
}

// wordFault says what is wrong with the arguments. A word without = behind one that has it is mostly the rest of a value with spaces.
func wordFault(err error, words []string) string {
	var e *schema.ArgumentError
	if !errors.As(err, &e) || strings.Contains(e.Word, "=") {
		return err.Error()
	}
	i := slices.Index(words, e.Word)
	if i <= 0 || !strings.Contains(words[i-1], "=") {
		return err.Error()
	}
	rest := i
	for rest < len(words) && !strings.Contains(words[rest], "=") {
		rest++
	}
	whole := strings.Join(words[i-1:rest], " ")
	key, value, _ := strings.Cut(whole, "=")
	return fmt.Sprintf("%q belongs to no key; a value with spaces needs quotes: %s=%q", e.Word, key, value)
}

// stdinArgument replaces the argument - by what stdin holds.
func (a *app) stdinArgument(words []string) ([]string, int) {
	if len(words) != 1 || words[0] != "-" {
		return words, exitOK
	}
	b, err := io.ReadAll(a.in)
	if err != nil {
		return nil, a.fail(exitFailed, fmt.Errorf("read arguments from stdin: %w", err))
	}
	b = bytes.TrimSpace(b)
	if len(b) == 0 || b[0] != '{' {
		return nil, a.misuse("stdin holds no JSON object: give one, such as {\"name\":\"Alice\"}")
	}
	return []string{string(b)}, exitOK
}

// printResult writes a result as the command's output and returns the exit code that it asks for.
func (a *app) printResult(r *mcp.CallToolResult, e host.CallEvent) int {
	if a.opt.json {
		b, err := r.AppendJSON(nil)
		if err != nil {
			return a.fail(exitFailed, err)
		}
		fmt.Fprintln(a.out, pretty(b))
		return resultCode(r, e)
	}
	if r.IsError {
		for _, c := range r.Content {
			if c.Type == "text" {
				a.sayf("%s", c.Text)
			}
		}
		if trace := authorsView(e.Err); trace != "" && !a.opt.quiet {
			a.sayf("%s", trace)
		}
		return resultCode(r, e)
	}
	if r.StructuredContent != nil {
		fmt.Fprintln(a.out, pretty(r.StructuredContent))
		a.nameBlocks(r, true)
		return exitOK
	}
	for _, c := range r.Content {
		if c.Type == "text" {
			fmt.Fprintln(a.out, a.terminalText(c.Text))
		}
	}
	a.nameBlocks(r, false)
	return exitOK
}

// terminalText keeps a result from steering the terminal it is shown on; to a pipe or file it goes as it is.
func (a *app) terminalText(s string) string {
	if isTerminal(a.out) {
		return visible(s)
	}
	return s
}

// nameBlocks tells on stderr what a result holds beside its text.
func (a *app) nameBlocks(r *mcp.CallToolResult, structured bool) {
	for _, c := range r.Content {
		switch c.Type {
		case "text":
		case "image", "audio":
			a.notef("%s %s, %s of base64 (--json prints it)", c.Type, c.MIMEType, count(len(c.Data), "byte"))
		case "resource_link":
			a.notef("resource_link %s %s", c.Name, c.URI)
		default:
			a.notef("%s, %s (--json prints it)", c.Type, count(len(c.Resource), "byte"))
		}
	}
}

// resultCode is the exit code of a call.
func resultCode(r *mcp.CallToolResult, e host.CallEvent) int {
	var fault *sandbox.Fault
	switch {
	case !r.IsError:
		return exitOK
	case e.Denied:
		return exitDenied
	case errors.As(e.Err, &fault) && fault.Kind == sandbox.Denied:
		return exitDenied
	case errors.As(e.Err, &fault) && fault.Kind == sandbox.Timeout:
		return exitTimeout
	}
	return exitFailed
}

// authorsView is what the author of a tool needs beyond the model's sentence: the Lua traceback.
func authorsView(err error) string {
	var fault *sandbox.Fault
	if !errors.As(err, &fault) || fault.Kind != sandbox.Broken {
		return ""
	}
	return fault.Traceback
}

// pretty indents JSON for people; what is no JSON comes back as it is.
func pretty(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return string(raw)
	}
	return b.String()
}
