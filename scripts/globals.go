package scripts

import "github.com/yuin/gopher-lua/ast"

// use is one place where a file names a global.
type use struct {
	name  string
	line  int
	write bool
	nth   int // which use of the name on its line, from 0
}

// requirement is one require "name" with a constant name.
type requirement struct {
	name string
	line int
}

// facts is what a walk over the syntax tree finds.
type facts struct {
	globals  []use
	requires []requirement
	// dynamic is set when require is used in another way than require "name".
	dynamic bool
	// shadowed reports, for the last return of the file, which names are locals there.
	shadowed map[string]bool
}

// examine walks the tree of a file. The parser has bounded its depth.
func examine(chunk []ast.Stmt) *facts {
	r := &resolver{locals: map[string]int{}, seen: map[use]int{}, facts: &facts{shadowed: map[string]bool{}}}
	for i, s := range chunk {
		if _, ok := s.(*ast.ReturnStmt); ok && i == len(chunk)-1 {
			for name := range r.locals {
				r.facts.shadowed[name] = true
			}
		}
		r.stmt(s)
	}
	return r.facts
}

// resolver tells globals from locals. locals counts how many declarations of a name are in scope, names lists them in order.
type resolver struct {
	names  []string
	locals map[string]int
	seen   map[use]int
	facts  *facts
}

func (r *resolver) declare(names ...string) {
	for _, n := range names {
		r.names = append(r.names, n)
		r.locals[n]++
	}
}

// scope runs f and forgets what it declared.
func (r *resolver) scope(f func()) {
	n := len(r.names)
	f()
	for _, name := range r.names[n:] {
		if r.locals[name]--; r.locals[name] == 0 {
			delete(r.locals, name)
		}
	}
	r.names = r.names[:n]
}

func (r *resolver) block(stmts []ast.Stmt) {
	r.scope(func() { r.stmts(stmts) })
}

func (r *resolver) stmts(list []ast.Stmt) {
	for _, s := range list {
		r.stmt(s)
	}
}

func (r *resolver) stmt(s ast.Stmt) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		r.exprs(s.Rhs)
		for _, e := range s.Lhs {
			if id, ok := e.(*ast.IdentExpr); ok {
				r.name(id, true)
			} else {
				r.expr(e)
			}
		}
	case *ast.LocalAssignStmt:
		// `local function f` sees itself, `local f = function` does not; the tree does not tell them apart, and taking
		// both for the first kind can only miss a fault.
		if len(s.Exprs) == 1 && len(s.Names) == 1 {
			if _, ok := s.Exprs[0].(*ast.FunctionExpr); ok {
				r.declare(s.Names...)
				r.exprs(s.Exprs)
				return
			}
		}
		r.exprs(s.Exprs)
		r.declare(s.Names...)
	case *ast.FuncCallStmt:
		r.expr(s.Expr)
	case *ast.DoBlockStmt:
		r.block(s.Stmts)
	case *ast.WhileStmt:
		r.expr(s.Condition)
		r.block(s.Stmts)
	case *ast.RepeatStmt: // until sees the locals of the block
		r.scope(func() { r.stmts(s.Stmts); r.expr(s.Condition) })
	case *ast.IfStmt:
		r.expr(s.Condition)
		r.block(s.Then)
		r.block(s.Else)
	case *ast.NumberForStmt:
		r.expr(s.Init)
		r.expr(s.Limit)
		r.expr(s.Step)
		r.scope(func() { r.declare(s.Name); r.stmts(s.Stmts) })
	case *ast.GenericForStmt:
		r.exprs(s.Exprs)
		r.scope(func() { r.declare(s.Names...); r.stmts(s.Stmts) })
	case *ast.FuncDefStmt:
		r.funcDef(s)
	case *ast.ReturnStmt:
		r.exprs(s.Exprs)
	}
}

func (r *resolver) funcDef(s *ast.FuncDefStmt) {
	if s.Name.Func != nil {
		if id, ok := s.Name.Func.(*ast.IdentExpr); ok {
			r.name(id, true)
		} else {
			r.expr(s.Name.Func)
		}
		r.expr(s.Func)
		return
	}
	r.expr(s.Name.Receiver) // function M:f()
	r.scope(func() { r.declare("self"); r.expr(s.Func) })
}

func (r *resolver) exprs(list []ast.Expr) {
	for _, e := range list {
		r.expr(e)
	}
}

func (r *resolver) expr(e ast.Expr) {
	switch e := e.(type) {
	case *ast.IdentExpr:
		if e.Value == "require" && r.locals[e.Value] == 0 {
			r.facts.dynamic = true
		}
		r.name(e, false)
	case *ast.AttrGetExpr:
		r.expr(e.Object)
		r.expr(e.Key)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			if f.Key != nil {
				r.expr(f.Key)
			}
			r.expr(f.Value)
		}
	case *ast.FuncCallExpr:
		r.call(e)
	case *ast.LogicalOpExpr:
		r.expr(e.Lhs)
		r.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		r.expr(e.Lhs)
		r.expr(e.Rhs)
	case *ast.StringConcatOpExpr:
		r.expr(e.Lhs)
		r.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		r.expr(e.Lhs)
		r.expr(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		r.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		r.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		r.expr(e.Expr)
	case *ast.FunctionExpr:
		r.scope(func() { r.declare(e.ParList.Names...); r.stmts(e.Stmts) })
	}
}

func (r *resolver) call(e *ast.FuncCallExpr) {
	if e.Receiver != nil {
		r.expr(e.Receiver)
	}
	id, _ := e.Func.(*ast.IdentExpr)
	if id != nil && id.Value == "require" && r.locals["require"] == 0 && len(e.Args) > 0 {
		if name, ok := e.Args[0].(*ast.StringExpr); ok {
			r.facts.requires = append(r.facts.requires, requirement{name.Value, e.Line()})
			r.name(id, false)
			return
		}
	}
	if e.Func != nil {
		r.expr(e.Func)
	}
	r.exprs(e.Args)
}

func (r *resolver) name(id *ast.IdentExpr, write bool) {
	if r.locals[id.Value] > 0 {
		return
	}
	at := use{name: id.Value, line: id.Line()}
	nth := r.seen[at]
	r.seen[at]++
	at.write, at.nth = write, nth
	r.facts.globals = append(r.facts.globals, at)
}
