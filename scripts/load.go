package scripts

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/luabind/sandbox"
)

// loadWall bounds one run of a file's top level, and one look at a tool's enabled function.
const loadWall = 2 * time.Second

// loader turns sources into files. It is used by several goroutines at once and does not change while it is.
type loader struct {
	env     *sandbox.Env
	mods    []*luabind.Module
	options Options
	modules modules
	running *gate
}

// file is one tool file after an attempt to load it. It does not change; an edit makes a new one.
type file struct {
	src      *source
	facts    *facts    // nil when the file could not be parsed
	needs    []*module // what it can require
	tools    []*Tool   // in the order of the file, disabled ones too
	problems []*Error  // faults when it failed, else warnings
	states   *states   // nil when it failed
	loaded   time.Time
}

func (f *file) ok() bool { return f.states != nil }

// same reports whether a file was found as it was before.
func (s *source) same(o *source) bool {
	return s.text == o.text && s.file == o.file && s.server == o.server &&
		(s.err == nil) == (o.err == nil) && (s.err == nil || s.err.Error() == o.err.Error())
}

// fault is an error at a place of the source, with its code frame.
func (s *source) fault(line, col, width int, message string) *Error {
	return &Error{File: s.file, Line: line, Col: col, Message: message, Frame: frame(s.text, line, col, width)}
}

// current reports whether f is what loading src now would make.
func (l *loader) current(f *file, src *source) bool {
	if f == nil || !f.src.same(src) {
		return false
	}
	return f.facts == nil || slices.EqualFunc(f.needs, l.modules.needs(f.facts), (*module).same)
}

// file loads one tool file: parse, look at names, run the top level in a scratch state, judge what it declares. A fault makes the whole
// file fail; the result then has problems and no tools. ctx stops Lua code.
func (l *loader) file(ctx context.Context, src *source) *file {
	f := &file{src: src, loaded: time.Now()}
	if src.err != nil {
		f.problems = []*Error{{File: src.file, Message: src.err.Error()}}
		return f
	}
	chunk, fault := parseSource(src)
	if fault != nil {
		f.problems = []*Error{fault}
		return f
	}
	f.facts = examine(chunk)
	f.needs = l.modules.needs(f.facts)
	f.problems = append(l.checkGlobals(src, f.facts), l.checkRequires(src, f.facts)...)
	if failed(f.problems) {
		return f
	}
	small := lean(chunk, f.facts) // before compiling, which rewrites the tree
	calls := toolCalls(chunk, f.facts)
	full, fault := compileSource(src, chunk)
	if fault != nil {
		f.problems = append(f.problems, fault)
		return f
	}
	l.declare(ctx, f, full, calls)
	if failed(f.problems) {
		f.tools = nil
		return f
	}
	proto, fault := compileSource(src, small)
	if fault != nil {
		f.problems = append(f.problems, fault)
		f.tools = nil
		return f
	}
	states := newStates(l, f, proto)
	if err := states.rehearse(ctx); err != nil {
		e := src.luaFault(err, nil)
		e.Message = "the top level does not do the same a second time: " + e.Message
		f.problems, f.tools = append(f.problems, e), nil
		return f
	}
	f.states = states
	return f
}

// declare runs the file's top level and makes its tools.
func (l *loader) declare(ctx context.Context, f *file, full *lua.FunctionProto, calls []toolCall) {
	state := l.env.NewState()
	defer state.Close()
	state.Require = l.modules.require
	values, err := l.run(ctx, state, sandbox.Loading, f.src.file, func() ([]lua.LValue, error) { return state.Run(full) })
	if err != nil {
		f.problems = append(f.problems, f.src.luaFault(err, calls))
		return
	}
	defs, err := luabind.Tools(values)
	if e, ok := errors.AsType[*luabind.FaultsError](err); ok {
		for _, fault := range e.Faults {
			f.problems = append(f.problems, f.src.atField(fault.Line, fault.Message, calls))
		}
		spread(f.problems, e.Tools)
		return
	}
	if err != nil {
		f.problems = append(f.problems, f.src.luaFault(err, calls))
		return
	}
	if len(defs) == 0 {
		f.problems = append(f.problems, f.src.fault(lastLine(f.src.text), 0, 0, "the file returns no tool: end it with return tool{ … }"))
		return
	}
	for i, def := range defs {
		t := l.tool(f, def, i, len(defs))
		f.tools = append(f.tools, t)
		f.problems = append(f.problems, l.judge(f.src, t, calls)...)
	}
	f.problems = append(f.problems, sameNames(f)...)
	f.problems = append(f.problems, l.checkNeeds(f)...)
	if failed(f.problems) {
		spread(f.problems, len(f.tools))
		return
	}
	for _, t := range f.tools {
		if err := l.enabled(ctx, state, t); err != nil {
			f.problems = append(f.problems, f.src.luaFault(err, nil))
			spread(f.problems, len(f.tools))
			return
		}
		// The functions belong to the scratch state, which ends here. ConfirmFunc stays, to say that there is one.
		t.Definition.Run, t.Definition.EnabledFunc = nil, nil
	}
}

// spread says in the first fault of a file with n tools what it does to the others.
func spread(problems []*Error, n int) {
	if i := slices.IndexFunc(problems, func(e *Error) bool { return !e.Warning }); i >= 0 && n > 1 {
		problems[i].Message += fmt.Sprintf("; none of this file's %d tools is loaded", n)
	}
}

// run lets do use the state for a while, under the limits of loading.
func (l *loader) run(ctx context.Context, s *sandbox.State, mode sandbox.Mode, file string, do func() ([]lua.LValue, error)) ([]lua.LValue, error) {
	limits := l.options.Limits
	if limits.Wall == 0 || limits.Wall > loadWall {
		limits.Wall = loadWall
	}
	info := &luabind.CallInfo{Log: func(level, text string) {
		if l.options.Log != nil {
			l.options.Log(file, level, text)
		}
	}}
	s.Begin(ctx, mode, limits, info)
	defer s.End()
	return do()
}

// enabled looks once whether a tool is offered, and notes the reason when it is not.
func (l *loader) enabled(ctx context.Context, s *sandbox.State, t *Tool) error {
	def := t.Definition
	switch {
	case def.EnabledFunc != nil:
		values, err := l.run(ctx, s, sandbox.Pure, t.File, func() ([]lua.LValue, error) { return s.Call(def.EnabledFunc) })
		if err != nil {
			return err
		}
		if len(values) == 0 || !lua.LVAsBool(values[0]) {
			t.Why, t.disabled = "its enabled function said no", true
			if len(values) > 1 && values[1].Type() == lua.LTString {
				t.Why = values[1].String()
			}
		}
	case def.Enabled != nil && !*def.Enabled:
		t.Why, t.disabled = "enabled = false", true
	}
	return nil
}

// tool makes the Tool of one definition; n is how many the file returned.
func (l *loader) tool(f *file, def *luabind.Definition, i, n int) *Tool {
	name := def.Name
	if name == "" && n == 1 {
		name = f.src.base
	}
	t := &Tool{Server: f.src.server, Name: f.src.prefix + name, Definition: def, Timeout: def.Timeout,
		File: f.src.file, Line: def.Line, file: f, index: i, named: name != ""}
	if t.Timeout > 0 {
		t.timeoutIn = t.File
	}
	l.ceilings(f, t)
	t.Plain = t.Name
	if !f.src.top {
		t.Plain = t.Server + "_" + t.Name
	}
	return t
}

// ceilings holds what a tool asks for to what the operator lets files have, with a warning.
func (l *loader) ceilings(f *file, t *Tool) {
	above := func(field, limit, most string) {
		f.problems = append(f.problems, warn(f.src.fault(t.Line, 0, 0, fmt.Sprintf(
			"tool %q: its %s is above what a file may ask for, so %s holds (--limit %s=…, or limits.%s in luatools.lua)", t.Name, field, most, limit, limit))))
	}
	if most := cmp.Or(l.options.MaxTimeout, DefaultWall); t.Timeout > most {
		t.Timeout = most
		above("timeout", "wall", most.String())
	}
	if most := cmp.Or(l.options.MaxResult, luabind.DefaultMaxResult); t.Definition.MaxResult > most {
		t.Definition.MaxResult = most
		above("max_result", "result", sizeText(most))
	}
}

// sameNames reports names that two tools of the file share.
func sameNames(f *file) (list []*Error) {
	first := map[string]*Tool{}
	for _, t := range f.tools {
		if o := first[t.Name]; o != nil && t.named {
			list = append(list, f.src.fault(t.Line, 0, 0, fmt.Sprintf("tool %q is already at %s:%d", t.Name, o.File, o.Line)))
			continue
		}
		first[t.Name] = t
	}
	return list
}

// quoted finds what a message puts in quotes.
var quoted = regexp.MustCompile(`['"]([A-Za-z_][A-Za-z0-9_]*)['"]`)

// luaFault turns an error of Lua code at load into one for the author. Where it speaks of a field of tool{}, it points there.
func (s *source) luaFault(err error, calls []toolCall) *Error {
	f, ok := errors.AsType[*sandbox.Fault](err)
	if !ok {
		return s.atField(0, err.Error(), calls)
	}
	message := bare(f)
	switch f.Kind {
	case sandbox.Timeout:
		message = fmt.Sprintf("the top level ran longer than %s: it may only build tables and functions", loadWall)
	case sandbox.Cancelled:
		message = "loading was stopped"
	}
	var e *Error
	if f.File != "" && f.File != s.file { // a module of lib: its own frame is not at hand
		e = &Error{File: s.file, Message: message + place(f.File, f.Line)}
	} else {
		e = s.atField(f.Line, message, calls)
	}
	e.Traceback = f.Traceback
	return e
}

// atField is a fault at line; when the message quotes a field of the tool call there, it is a fault at that field.
func (s *source) atField(line int, message string, calls []toolCall) *Error {
	call := callAt(line, calls)
	if call != nil && call.fields != nil {
		fields := call.fields
		for _, part := range []string{"input", "output"} {
			if t := tableField(fields, part); t != nil && strings.Contains(message, ": "+part+": property '") {
				fields = t
			}
		}
		for _, m := range quoted.FindAllStringSubmatch(message, -1) {
			if at := fieldLine(fields, m[1]); at > 0 {
				return s.fault(at, columnOf(s.text, m[1], at, 0, true), len(m[1]), message)
			}
		}
	}
	if call != nil {
		return s.fault(line, columnOf(s.text, "tool", line, 0, false), len("tool"), message)
	}
	return s.fault(line, 0, 0, message)
}

// tableField returns the table that a field holds, or nil.
func tableField(t *ast.TableExpr, name string) *ast.TableExpr {
	for _, f := range t.Fields {
		if key, ok := f.Key.(*ast.StringExpr); ok && key.Value == name {
			inner, _ := f.Value.(*ast.TableExpr)
			return inner
		}
	}
	return nil
}

// lastLine is the number of the last line with something on it.
func lastLine(text string) int {
	return len(sourceLines(strings.TrimRight(text, " \t\r\n")))
}
