package scripts

import (
	"slices"

	"github.com/yuin/gopher-lua/ast"
)

// A call needs a file's functions and not its declarations, so the file is compiled a second time without them: running that again for a
// fresh state costs less than half. Only a `tool` call in the file's last return is rewritten, and only values whose evaluation nobody can
// notice are left out. Nodes keep their lines, so error texts do not change.

// leanFields are the fields of tool{} that a call may look at.
var leanFields = []string{"run", "confirm", "enabled"}

// toolCall is one call of tool in the last return.
type toolCall struct {
	call *ast.FuncCallExpr
	// fields is the table of tool{…}; nil for the positional form.
	fields *ast.TableExpr
}

// toolCalls returns the tool calls of the file's last return, in order; a table of them is looked into.
func toolCalls(chunk []ast.Stmt, f *facts) []toolCall {
	ret := lastReturn(chunk)
	if ret == nil || f.shadowed["tool"] {
		return nil
	}
	var calls []toolCall
	for _, e := range ret.Exprs {
		if t, ok := e.(*ast.TableExpr); ok {
			for _, field := range t.Fields {
				if c, ok := asToolCall(field.Value); ok {
					calls = append(calls, c)
				}
			}
		} else if c, ok := asToolCall(e); ok {
			calls = append(calls, c)
		}
	}
	return calls
}

func lastReturn(chunk []ast.Stmt) *ast.ReturnStmt {
	if len(chunk) == 0 {
		return nil
	}
	ret, _ := chunk[len(chunk)-1].(*ast.ReturnStmt)
	return ret
}

func asToolCall(e ast.Expr) (toolCall, bool) {
	call, ok := e.(*ast.FuncCallExpr)
	if !ok || call.Receiver != nil {
		return toolCall{}, false
	}
	if id, ok := call.Func.(*ast.IdentExpr); !ok || id.Value != "tool" {
		return toolCall{}, false
	}
	c := toolCall{call: call}
	if len(call.Args) == 1 {
		c.fields, _ = call.Args[0].(*ast.TableExpr)
	}
	return c, true
}

// lean returns the tree of a file without the declarations of its tools. The given tree is not changed; what stays is shared with it.
func lean(chunk []ast.Stmt, f *facts) []ast.Stmt {
	ret := lastReturn(chunk)
	if ret == nil || f.shadowed["tool"] {
		return chunk
	}
	out := *ret
	out.Exprs = make([]ast.Expr, len(ret.Exprs))
	for i, e := range ret.Exprs {
		out.Exprs[i] = leanValue(e, f)
	}
	chunk = slices.Clone(chunk)
	chunk[len(chunk)-1] = &out
	return chunk
}

// leanValue rewrites a returned value: a tool call, or a table of them.
func leanValue(e ast.Expr, f *facts) ast.Expr {
	if c, ok := asToolCall(e); ok {
		return leanCall(c, f)
	}
	t, ok := e.(*ast.TableExpr)
	if !ok {
		return e
	}
	out := *t
	out.Fields = make([]*ast.Field, len(t.Fields))
	for i, field := range t.Fields {
		out.Fields[i] = field
		if c, ok := asToolCall(field.Value); ok {
			out.Fields[i] = &ast.Field{Key: field.Key, Value: leanCall(c, f)}
		}
	}
	return &out
}

func leanCall(c toolCall, f *facts) ast.Expr {
	call := *c.call
	call.Args = slices.Clone(call.Args)
	switch {
	case c.fields != nil:
		call.Args[0] = leanTable(c.fields, f)
	case len(call.Args) >= 4: // tool(name, description, input, run[, fields])
		for i := range 3 {
			if inert(call.Args[i], f) {
				call.Args[i] = nilAt(call.Args[i])
			}
		}
		if t, ok := lastTable(call.Args); ok {
			call.Args[4] = leanTable(t, f)
		}
	}
	return &call
}

func lastTable(args []ast.Expr) (*ast.TableExpr, bool) {
	if len(args) != 5 {
		return nil, false
	}
	t, ok := args[4].(*ast.TableExpr)
	return t, ok
}

func nilAt(e ast.Expr) ast.Expr {
	n := &ast.NilExpr{}
	n.SetLine(e.Line())
	return n
}

func leanTable(t *ast.TableExpr, f *facts) *ast.TableExpr {
	out := *t
	out.Fields = slices.DeleteFunc(slices.Clone(t.Fields), func(field *ast.Field) bool {
		key, ok := field.Key.(*ast.StringExpr)
		return ok && !slices.Contains(leanFields, key.Value) && inert(field.Value, f)
	})
	return &out
}

// inert reports whether evaluating e has no effect and cannot fail in a second run when it did not in the first.
func inert(e ast.Expr, f *facts) bool {
	switch e := e.(type) {
	case *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.NumberExpr, *ast.StringExpr, *ast.FunctionExpr, *ast.IdentExpr:
		return true // an unknown global was a load error
	case *ast.UnaryMinusOpExpr:
		_, ok := e.Expr.(*ast.NumberExpr)
		return ok
	case *ast.StringConcatOpExpr:
		return constant(e)
	case *ast.TableExpr:
		for _, field := range e.Fields {
			if field.Key != nil && !constant(field.Key) || !inert(field.Value, f) {
				return false
			}
		}
		return true
	case *ast.AttrGetExpr:
		return libraryField(e, f)
	case *ast.FuncCallExpr:
		if e.Receiver != nil || !makesValue(e.Func, f) {
			return false
		}
		return !slices.ContainsFunc(e.Args, func(a ast.Expr) bool { return !inert(a, f) })
	}
	return false
}

// constant reports whether e is a string, a number, or some of them joined.
func constant(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.StringExpr, *ast.NumberExpr, *ast.TrueExpr, *ast.FalseExpr:
		return true
	case *ast.StringConcatOpExpr:
		return constant(e.Lhs) && constant(e.Rhs)
	}
	return false
}

// libraryField reports whether e is a field of a global library, such as json.null: reading it runs no code of the file.
func libraryField(e *ast.AttrGetExpr, f *facts) bool {
	id, ok := e.Object.(*ast.IdentExpr)
	_, plain := e.Key.(*ast.StringExpr)
	return ok && plain && slices.Contains(builders, id.Value) && !f.shadowed[id.Value]
}

// builders are the globals whose calls only make a value.
var builders = []string{"param", "array", "json"}

// makesValue reports whether fn is param.x, array or json.object.
func makesValue(fn ast.Expr, f *facts) bool {
	switch fn := fn.(type) {
	case *ast.IdentExpr:
		return fn.Value == "array" && !f.shadowed["array"]
	case *ast.AttrGetExpr:
		id, ok := fn.Object.(*ast.IdentExpr)
		key, plain := fn.Key.(*ast.StringExpr)
		return ok && plain && !f.shadowed[id.Value] && (id.Value == "param" || id.Value == "json" && key.Value == "object")
	}
	return false
}
