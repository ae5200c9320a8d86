package scripts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"github.com/luatools/luatools/luabind/sandbox"
)

// Config is what a luatools.lua says:
//
//	return {
//	  timeout = "30s",
//	  policy = { allow{ "weather/*" }, ask{ "db/*" }, deny{ "ops/deploy" } },
//	  limits = { wall = "15m", steps = 2e9, bytes = "64 MiB", string = "16 MiB", heap = "200 MiB", result = "4 MiB", source = "256 KiB",
//	    calls = 64, queue = 1024, coroutines = 2000, depth = 100 },
//	}
//
// policy may also be written { allow = { … }, ask = { … }, deny = { … } }. What is not given is zero.
type Config struct {
	File    string        // as it was named
	Timeout time.Duration // of one call
	Rules   []ConfigRule  // in the order of the file, those of a plain allow, ask and deny last
	Limits  Limits
}

// ConfigRule is one rule of the policy.
type ConfigRule struct {
	Behavior string // "allow", "ask" or "deny"
	Pattern  string // "weather/*": not judged here
	Line     int    // 0 when it is made by code
}

// The keys of a luatools.lua.
var (
	configFields = []string{"timeout", "policy", "limits"}
	behaviors    = []string{"allow", "ask", "deny"}
)

// ruleList is what allow{…}, ask{…} and deny{…} return.
type ruleList struct {
	behavior string
	patterns []string
	line     int
}

// configEnv has the standard libraries and the three constructors: a configuration can compute, and reach nothing.
var configEnv = sync.OnceValue(func() *sandbox.Env {
	constructors := &sandbox.Module{Funcs: map[string]lua.LGFunction{}}
	for _, behavior := range behaviors {
		constructors.Funcs[behavior] = func(L *lua.LState) int {
			patterns, err := patternList(L.Get(1))
			if err != nil {
				L.RaiseError("%s: %s", behavior, err)
			}
			ud := L.NewUserData()
			ud.Value = &ruleList{behavior, patterns, currentLine(L)}
			L.Push(ud)
			return 1
		}
	}
	return sandbox.NewEnv([]*sandbox.Module{constructors})
})

// currentLine is where the Lua code called the running function.
func currentLine(L *lua.LState) int {
	frame, ok := L.GetStack(1)
	if !ok {
		return 0
	}
	if _, err := L.GetInfo("l", frame, lua.LNil); err != nil {
		return 0
	}
	return frame.CurrentLine
}

// patternList reads "a" or { "a", "b" }.
func patternList(v lua.LValue) ([]string, error) {
	const want = `want a list of tools, such as { "weather/*", "db/query" }`
	switch v := v.(type) {
	case lua.LString:
		if v != "" {
			return []string{string(v)}, nil
		}
	case *lua.LTable:
		var list []string
		for key, value := v.Next(lua.LNil); key != lua.LNil; key, value = v.Next(key) {
			s, ok := value.(lua.LString)
			if _, isIndex := key.(lua.LNumber); !isIndex || !ok || s == "" {
				return nil, fmt.Errorf("%s, got %s under %s", want, kindOf(value), lua.LVAsString(key))
			}
			list = append(list, string(s))
		}
		return list, nil
	}
	return nil, fmt.Errorf("%s, got %s", want, kindOf(v))
}

func kindOf(v lua.LValue) string {
	switch v := v.(type) {
	case *lua.LNilType:
		return "nothing"
	case lua.LString:
		return strconv.Quote(string(v))
	}
	return "a " + v.Type().String()
}

// LoadConfig runs a luatools.lua, in a sandbox without any capability and for at most 2 s, and reads the table that it returns. A file that
// cannot be read is an error of the file system, fs.ErrNotExist too; anything else that is wrong is an *Error with its place.
func LoadConfig(path string) (*Config, error) {
	text, err := readConfig(path)
	if err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	r := &configReader{src: &source{file: path, text: text}, Config: &Config{File: path}}
	if len(text) > maxSource {
		return nil, &Error{File: path, Message: fmt.Sprintf("the file is longer than %d KiB", maxSource>>10)}
	}
	chunk, fault := parseSource(r.src)
	if fault != nil {
		return nil, fault
	}
	l := &loader{env: configEnv()}
	facts := examine(chunk)
	if faults := l.checkGlobals(r.src, facts); len(faults) > 0 {
		return nil, faults[0]
	}
	if len(facts.requires) > 0 || facts.dynamic {
		return nil, r.standsAlone(facts)
	}
	written := returnedTable(chunk)
	proto, fault := compileSource(r.src, chunk)
	if fault != nil {
		return nil, fault
	}
	state := l.env.NewState()
	defer state.Close()
	values, err := l.run(context.Background(), state, sandbox.Loading, path, func() ([]lua.LValue, error) { return state.Run(proto) })
	if err != nil {
		return nil, r.src.luaFault(err, nil)
	}
	table, ok := first(values).(*lua.LTable)
	if !ok {
		return nil, r.src.fault(lastLine(text), 0, 0, "the file returns no table: return { "+strings.Join(configFields, " =, ")+" = }")
	}
	r.read(table, written)
	if len(r.faults) > 0 {
		return nil, sortErrors(r.faults)[0]
	}
	return r.Config, nil
}

// readConfig reads a regular file: a FIFO or device of that name would hold the program for ever.
func readConfig(path string) (string, error) {
	if info, err := os.Stat(path); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	return string(b), err
}

// configReader fills a Config from the returned table.
type configReader struct {
	*Config
	src    *source
	faults []*Error
}

func (r *configReader) standsAlone(f *facts) *Error {
	for _, u := range f.globals {
		if u.name == "require" {
			return r.src.fault(u.line, columnOf(r.src.text, u.name, u.line, u.nth, false), len(u.name), "a configuration stands alone: it cannot require")
		}
	}
	return &Error{File: r.src.file, Message: "a configuration stands alone: it cannot require"}
}

// fault notes what is wrong with a field of the table at; nil when the table is not written in the return.
func (r *configReader) fault(at *ast.TableExpr, name string, err error) {
	line, col := 0, 0
	if at != nil {
		line = fieldLine(at, name)
		col = columnOf(r.src.text, name, line, 0, true)
	}
	r.faults = append(r.faults, r.src.fault(line, col, len(name), fmt.Sprintf("field '%s': %v", name, err)))
}

// each calls f for every field of a table, in order, and notes its error.
func (r *configReader) each(table *lua.LTable, at *ast.TableExpr, f func(name string, value lua.LValue) error) {
	for key, value := table.Next(lua.LNil); key != lua.LNil; key, value = table.Next(key) {
		name := lua.LVAsString(key)
		if err := f(name, value); err != nil {
			r.fault(at, name, err)
		}
	}
}

// inner is the table written as a field of another, or nil.
func inner(at *ast.TableExpr, name string) *ast.TableExpr {
	if at == nil {
		return nil
	}
	for _, f := range at.Fields {
		if key, ok := f.Key.(*ast.StringExpr); ok && key.Value == name {
			t, _ := f.Value.(*ast.TableExpr)
			return t
		}
	}
	return nil
}

func (r *configReader) read(table *lua.LTable, written *ast.TableExpr) {
	r.each(table, written, func(name string, value lua.LValue) (err error) {
		switch name {
		case "timeout":
			r.Timeout, err = duration(value)
		case "policy":
			err = r.policy(value, inner(written, name))
		case "limits":
			err = r.limits(value, inner(written, name))
		default:
			if _, ok := ruleOf(value); ok {
				return errors.New("rules belong into policy = { … }")
			}
			err = errors.New("unknown" + suggestion(name, configFields))
		}
		return err
	})
}

func ruleOf(v lua.LValue) (*ruleList, bool) {
	ud, ok := v.(*lua.LUserData)
	if !ok {
		return nil, false
	}
	rules, ok := ud.Value.(*ruleList)
	return rules, ok
}

func (r *configReader) policy(v lua.LValue, at *ast.TableExpr) error {
	table, ok := v.(*lua.LTable)
	if !ok {
		return fmt.Errorf(`want a table such as { allow{ "weather/*" } }, got %s`, kindOf(v))
	}
	plain := map[string][]string{}
	r.each(table, at, func(name string, value lua.LValue) error {
		if rules, ok := ruleOf(value); ok {
			r.rules(rules.behavior, rules.patterns, rules.line)
			return nil
		}
		if name != "allow" && name != "ask" && name != "deny" {
			return errors.New("unknown" + suggestion(name, behaviors))
		}
		patterns, err := patternList(value)
		plain[name] = patterns
		return err
	})
	for _, name := range behaviors {
		line := 0
		if at != nil {
			line = fieldLine(at, name)
		}
		r.rules(name, plain[name], line)
	}
	return nil
}

// rules adds the rules that stand from a line on.
func (r *configReader) rules(behavior string, patterns []string, line int) {
	for _, p := range patterns {
		r.Rules = append(r.Rules, ConfigRule{behavior, p, r.lineOf(p, line)})
	}
}

// lineOf finds the text of a pattern from a line on; a pattern that is put together stands where its list begins.
func (r *configReader) lineOf(pattern string, from int) int {
	if from == 0 {
		return 0
	}
	for _, tok := range tokens(r.src.text) {
		if tok.Type == parse.TString && tok.Str == pattern && tok.Pos.Line >= from {
			return tok.Pos.Line
		}
	}
	return from
}

func (r *configReader) limits(v lua.LValue, at *ast.TableExpr) error {
	table, ok := v.(*lua.LTable)
	if !ok {
		return fmt.Errorf(`want a table such as { wall = "15m" }, got %s`, kindOf(v))
	}
	r.each(table, at, r.Limits.set)
	return nil
}
