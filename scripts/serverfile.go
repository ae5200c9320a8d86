package scripts

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/protocol/nearest"
)

// serverFile is one server.lua after an attempt to load it: { title, version, instructions, permissions = ceiling, timeout }.
type serverFile struct {
	src      *source
	facts    *facts
	needs    []*module
	problems []*Error
	loaded   time.Time // when the fields below were read

	title, version, instructions string
	timeout                      time.Duration
	ceiling                      []string // the rights that tools may declare; nil: all
}

const defaultVersion = "1.0.0"

var serverFields = []string{"title", "version", "instructions", "permissions", "timeout"}

// rightNames are the keys of permissions.
var rightNames = []string{"net", "read", "write", "env", "run", "db", "secrets", "tools"}

func (l *loader) currentServer(f *serverFile, src *source) bool {
	if f == nil || !f.src.same(src) {
		return false
	}
	return f.facts == nil || slices.EqualFunc(f.needs, l.modules.needs(f.facts), (*module).same)
}

// server loads a server.lua. After a fault the result has problems, and the fields that prev had.
func (l *loader) server(ctx context.Context, src *source, prev *serverFile) *serverFile {
	f := &serverFile{src: src, loaded: time.Now()}
	l.readServer(ctx, f)
	if failed(f.problems) {
		kept := serverFile{version: defaultVersion}
		if prev != nil {
			kept = *prev
		}
		kept.src, kept.facts, kept.needs, kept.problems = f.src, f.facts, f.needs, f.problems
		return &kept
	}
	return f
}

func (l *loader) readServer(ctx context.Context, f *serverFile) {
	src := f.src
	fail := func(e *Error) { f.problems = append(f.problems, e) }
	if src.err != nil {
		fail(&Error{File: src.file, Message: src.err.Error()})
		return
	}
	chunk, fault := parseSource(src)
	if fault != nil {
		fail(fault)
		return
	}
	f.facts = examine(chunk)
	f.needs = l.modules.needs(f.facts)
	if f.problems = append(l.checkGlobals(src, f.facts), l.checkRequires(src, f.facts)...); failed(f.problems) {
		return
	}
	proto, fault := compileSource(src, chunk)
	if fault != nil {
		fail(fault)
		return
	}
	state := l.env.NewState()
	defer state.Close()
	state.Require = l.modules.require
	values, err := l.run(ctx, state, sandbox.Loading, src.file, func() ([]lua.LValue, error) { return state.Run(proto) })
	if err != nil {
		fail(src.luaFault(err, nil))
		return
	}
	table, ok := first(values).(*lua.LTable)
	if !ok {
		fail(src.fault(lastLine(src.text), 0, 0, "server.lua returns no table: return { "+strings.Join(serverFields, " =, ")+" = }"))
		return
	}
	f.fill(table, returnedTable(chunk))
}

func first(values []lua.LValue) lua.LValue {
	if len(values) == 0 {
		return lua.LNil
	}
	return values[0]
}

// returnedTable is the table that the file returns, as written; nil when it is built elsewhere.
func returnedTable(chunk []ast.Stmt) *ast.TableExpr {
	ret := lastReturn(chunk)
	if ret == nil || len(ret.Exprs) != 1 {
		return nil
	}
	t, _ := ret.Exprs[0].(*ast.TableExpr)
	return t
}

// fill reads the fields of the returned table.
func (f *serverFile) fill(table *lua.LTable, written *ast.TableExpr) {
	f.version = defaultVersion
	table.ForEach(func(key, value lua.LValue) {
		name := key.String()
		var err error
		switch name {
		case "title":
			err = setText(&f.title, value)
		case "version":
			err = setText(&f.version, value)
		case "instructions":
			err = setText(&f.instructions, value)
		case "timeout":
			f.timeout, err = duration(value)
		case "permissions":
			f.ceiling, err = ceiling(value)
		default:
			err = errors.New("unknown" + suggestion(name, serverFields))
		}
		if err != nil {
			line, col := 0, 0
			if written != nil {
				line = fieldLine(written, name)
				col = columnOf(f.src.text, name, line, 0, true)
			}
			f.problems = append(f.problems, f.src.fault(line, col, len(name), fmt.Sprintf("field '%s' of server.lua: %v", name, err)))
		}
	})
}

// suggestion is ", did you mean 'x'?", or the list of what there is.
func suggestion(name string, known []string) string {
	if near := nearest.Name(name, known); near != "" {
		return fmt.Sprintf(", did you mean '%s'?", near)
	}
	return ", there are " + strings.Join(known, ", ")
}

func setText(dst *string, v lua.LValue) error {
	s, ok := v.(lua.LString)
	if !ok {
		return fmt.Errorf("want a string, got a %s", v.Type())
	}
	*dst = string(s)
	return nil
}

// duration reads "500ms", "10s", "1h30m", or a number of seconds.
func duration(v lua.LValue) (time.Duration, error) {
	var d time.Duration
	switch v := v.(type) {
	case lua.LNumber:
		if v > 0 && v < 1e9 {
			d = time.Duration(float64(v) * float64(time.Second))
		}
	case lua.LString:
		d, _ = time.ParseDuration(string(v))
	}
	if d <= 0 {
		return 0, fmt.Errorf(`want a time such as "500ms", "10s" or "1h30m", or seconds, got %s`, lua.LVAsString(v))
	}
	return d, nil
}

// ceiling reads the rights that a server's tools may declare.
func ceiling(v lua.LValue) ([]string, error) {
	t, ok := v.(*lua.LTable)
	if !ok {
		return nil, fmt.Errorf("want a table, got a %s", v.Type())
	}
	list := []string{}
	var err error
	t.ForEach(func(key, _ lua.LValue) {
		name := key.String()
		if !slices.Contains(rightNames, name) && err == nil {
			err = fmt.Errorf("unknown right '%s'%s", name, suggestion(name, rightNames))
		}
		list = append(list, name)
	})
	slices.Sort(list)
	return list, err
}
