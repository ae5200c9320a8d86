package cli

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/luatools/luatools/host"
	"github.com/luatools/luatools/scripts"
)

var checkCommand = &command{
	name:  "check",
	args:  "[FOLDER]",
	short: "load the tools and report their faults",
	long: `Loads every file of the folder (or of FOLDER) and reports each fault with file, line, column and the lines around it.
With -v also the files that hold no tools, and why. Exit 3 when there are errors; warnings alone are fine.`,
	run: (*app).check,
}

// finding is one fault in the report of check --json.
type finding struct {
	File      string `json:"file"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
	Severity  string `json:"severity"`
	Message   string `json:"message"`
	Frame     string `json:"frame,omitempty"`
	Traceback string `json:"traceback,omitempty"`
}

func (a *app) check(args []string) int {
	switch len(args) {
	case 0:
	case 1:
		a.opt.tools = args[0]
	default:
		return a.misuse("check takes one folder")
	}
	h, code := a.load(host.Options{})
	if code != exitOK {
		return code
	}
	defer h.Close()
	snap := h.Snapshot()
	problems := append(slices.Clip(snap.Problems), strays(snap.Ignored)...)
	errors, warnings := tally(problems)
	if errors > 0 {
		code = exitFindings
	}
	if a.opt.json {
		report := struct {
			Version  int       `json:"version"`
			Findings []finding `json:"findings"`
		}{1, []finding{}}
		for _, p := range problems {
			severity := "error"
			if p.Warning {
				severity = "warning"
			}
			report.Findings = append(report.Findings, finding{p.File, p.Line, p.Col, severity, p.Message, p.Frame, p.Traceback})
		}
		a.printJSON(report)
		return code
	}
	for _, p := range problems {
		if !p.Warning || !a.opt.quiet {
			a.showProblem(p)
		}
	}
	if a.opt.verbose {
		a.ignored(snap.Ignored)
	}
	if !a.opt.quiet || code != exitOK {
		a.sayf("%s: %s, %s", count(len(h.Tools()), "tool"), count(errors, "error"), count(warnings, "warning"))
	}
	return code
}

// strays are warnings of files that look like tools and are none by what they are, not by their name: links out of the folder and the like.
func strays(files []scripts.Ignored) (warnings []*scripts.Error) {
	for _, i := range files {
		name := path.Base(i.File)
		if !strings.HasSuffix(name, ".lua") || strings.ContainsRune("._", rune(name[0])) || strings.HasSuffix(name, "_test.lua") || name == "hooks.lua" {
			continue
		}
		warnings = append(warnings, &scripts.Error{File: i.File, Warning: true, Message: "no tool is loaded from it: " + i.Reason})
	}
	return warnings
}

// showProblem prints one fault with its code frame and, for a fault in running Lua, the traceback.
func (a *app) showProblem(p *scripts.Error) {
	var b strings.Builder
	b.WriteString(problemLine(p))
	if p.Frame != "" {
		fmt.Fprintf(&b, "\n%s", p.Frame)
	}
	if p.Traceback != "" && a.opt.verbose {
		fmt.Fprintf(&b, "\n%s", p.Traceback)
	}
	if p.Frame != "" {
		b.WriteByte('\n')
	}
	a.sayf("%s", b.String())
}

func tally(problems []*scripts.Error) (errors, warnings int) {
	for _, p := range problems {
		if p.Warning {
			warnings++
		} else {
			errors++
		}
	}
	return errors, warnings
}
