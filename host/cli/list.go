package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/luatools/luatools/host"
	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/scripts"
)

var listCommand = &command{
	name:  "list",
	short: "show the tools as signatures",
	long: `Lists the tools of the folder by server, with their parameters and the first sentence of their description. With -v also the name by
which the model knows each, and where it stands.`,
	run: (*app).list,
}

// listedTool is one tool in the report of list --json.
type listedTool struct {
	Server    string          `json:"server"`
	Name      string          `json:"name"`
	Wire      string          `json:"wire_name"`
	Plain     string          `json:"plain_name"`
	File      string          `json:"file"`
	Line      int             `json:"line"`
	Signature string          `json:"signature"`
	Declares  string          `json:"declares,omitempty"`
	Tool      json.RawMessage `json:"tool"`
}

func (a *app) list(args []string) int {
	if len(args) > 0 {
		return a.misuse("list takes no arguments")
	}
	h, code := a.open(host.Options{})
	if code != exitOK {
		return code
	}
	defer h.Close()
	if a.opt.json {
		return a.listJSON(h)
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	var server string
	servers := 0
	for _, t := range h.Tools() {
		shown := t.Name.Server
		if shown == server {
			shown = ""
		} else {
			server = shown
			servers++
		}
		fmt.Fprintf(w, "%s\t%s(%s)\t%s\n", shown, t.Name.Tool, middle(oneLine(t.Signature), 120), firstSentence(t.Tool.Description))
		if a.opt.verbose {
			fmt.Fprintf(w, "\t  %s\t%s:%d\n", t.Name.Wire(), inLine(t.File), t.Line)
		}
		if t.Declares != "" {
			fmt.Fprintf(w, "\t  declares %s\t\n", oneLine(t.Declares))
		}
	}
	w.Flush()
	a.listRest(h, servers)
	return exitOK
}

// listRest tells how many there are, and what is not offered and why.
func (a *app) listRest(h *host.Host, servers int) {
	snap := h.Snapshot()
	for _, t := range snap.Disabled {
		a.notef("not enabled: %s/%s: %s", t.Server, t.Name, t.Why)
	}
	if a.opt.verbose {
		a.ignored(snap.Ignored)
	}
	a.notef("%s, %s", count(len(h.Tools()), "tool"), count(servers, "server"))
}

// ignored tells which files hold no tools, and why.
func (a *app) ignored(files []scripts.Ignored) {
	for _, i := range files {
		a.sayf("ignored: %s: %s", inLine(i.File), i.Reason)
	}
}

func (a *app) listJSON(h *host.Host) int {
	report := struct {
		Version int          `json:"version"`
		Tools   []listedTool `json:"tools"`
	}{1, []listedTool{}}
	for _, t := range h.Tools() {
		tool, err := protocol.Appender(&t.Tool).AppendJSON(nil)
		if err != nil {
			return a.fail(exitFailed, err)
		}
		report.Tools = append(report.Tools, listedTool{t.Name.Server, t.Name.Tool, t.Name.Wire(), t.Plain, t.File, t.Line, t.Signature, t.Declares, tool})
	}
	return a.printJSON(report)
}

// printJSON writes a report as indented JSON.
func (a *app) printJSON(v any) int {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return a.fail(exitFailed, err)
	}
	_, _ = a.out.Write(b.Bytes())
	return exitOK
}

// firstSentence is enough of a description for a list.
func firstSentence(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if i := strings.Index(s, ". "); i >= 0 {
		s = s[:i+1]
	}
	return middle(oneLine(s), 100)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
