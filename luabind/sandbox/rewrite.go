package sandbox

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
)

const (
	maxTree       = 1_000       // levels of the tree: chains of operators, of calls, of elseif
	maxArithmetic = 200         // arithmetic operators on one another: the compiler folds constants anew at every level
	maxListItems  = 25_550      // of one table constructor: beyond that the compiler writes a wrong index
	maxConstWork  = 200_000_000 // uses of constants × different ones, all functions together
	joinOperands  = 150         // operands of one chain of "..": they are registers of the function, as in Lua
)

// concatName is the hidden global that joins the operands of "..". No source can spell it.
const concatName = "(concat)"

// rewriter walks a tree before the compiler does: it keeps the compiler's limits for it, turns every chain of ".." into one bounded
// join, and goes round what the compiler gets wrong.
type rewriter struct {
	file        string
	depth       int
	arithmetic  int
	constants   *constants
	work        int
	definitions map[Use]bool // function x() … end at file level of names
	temps       int
}

// constants counts what one function refers to.
type constants struct {
	uses     int
	distinct map[string]struct{}
}

func (r *rewriter) chunk(stmts []ast.Stmt) (err error) {
	defer func() {
		if rcv := recover(); rcv != nil {
			se, ok := rcv.(*SyntaxError)
			if !ok {
				panic(rcv)
			}
			err = se
		}
	}()
	r.definitions = map[Use]bool{}
	r.function(func() { r.block(stmts) })
	return nil
}

func (r *rewriter) fail(line int, format string, args ...any) {
	panic(&SyntaxError{File: r.file, Line: max(line, 1), Message: fmt.Sprintf(format, args...)})
}

func (r *rewriter) function(body func()) {
	outer := r.constants
	r.constants = &constants{distinct: map[string]struct{}{}}
	body()
	r.work += r.constants.uses * len(r.constants.distinct)
	r.constants = outer
}

func (r *rewriter) constant(line int, kind byte, text string) {
	c := r.constants
	c.uses++
	c.distinct[string(kind)+text] = struct{}{}
	if r.work+c.uses*len(c.distinct) > maxConstWork {
		r.fail(line, "too many constants in one function; keep the data in several functions, or in a string of JSON")
	}
}

func (r *rewriter) enter(line int) {
	if r.depth++; r.depth > maxTree {
		r.fail(line, "an expression or elseif chain of more than %d links; split it", maxTree)
	}
}

func (r *rewriter) undeclared(name string, line int) error {
	advice := "write local " + name
	if r.definitions[Use{name, line}] {
		advice = "write local function " + name
	}
	return &SyntaxError{File: r.file, Line: max(line, 1), Message: fmt.Sprintf("assignment to the undeclared global '%s'; %s", name, advice)}
}

func (r *rewriter) block(stmts []ast.Stmt) {
	for i := range stmts {
		stmts[i] = r.stmt(stmts[i])
	}
}

func (r *rewriter) stmt(stmt ast.Stmt) ast.Stmt {
	r.enter(stmt.Line())
	defer func() { r.depth-- }()
	switch s := stmt.(type) {
	case *ast.AssignStmt:
		r.exprs(s.Lhs)
		r.exprs(s.Rhs)
		return r.assign(s)
	case *ast.LocalAssignStmt:
		r.exprs(s.Exprs)
	case *ast.FuncCallStmt:
		s.Expr = r.expr(s.Expr)
	case *ast.DoBlockStmt:
		r.block(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = r.expr(s.Condition)
		r.block(s.Stmts)
	case *ast.RepeatStmt:
		r.block(s.Stmts)
		s.Condition = r.expr(s.Condition)
	case *ast.IfStmt:
		s.Condition = r.expr(s.Condition)
		r.block(s.Then)
		r.block(s.Else)
	case *ast.NumberForStmt:
		s.Init, s.Limit = r.expr(s.Init), r.expr(s.Limit)
		if s.Step != nil {
			s.Step = r.expr(s.Step)
		}
		r.block(s.Stmts)
	case *ast.GenericForStmt:
		r.exprs(s.Exprs)
		r.block(s.Stmts)
		r.generator(s)
	case *ast.FuncDefStmt:
		r.definition(s)
	case *ast.ReturnStmt:
		r.exprs(s.Exprs)
	}
	return stmt
}

// generator goes round another fault: the compiler initialises as many of the three hidden variables of a loop as the loop has names
// (`for k, v in next, t` leaves the third as it was), unless one call gives all three.
func (r *rewriter) generator(s *ast.GenericForStmt) {
	if len(s.Exprs) == 1 {
		if call, ok := s.Exprs[0].(*ast.FuncCallExpr); ok && !call.AdjustRet {
			return
		}
	}
	for len(s.Names) < 3 {
		s.Names = append(s.Names, "(unused)")
	}
}

func (r *rewriter) definition(s *ast.FuncDefStmt) {
	if id, ok := s.Name.Func.(*ast.IdentExpr); ok {
		r.definitions[Use{id.Value, s.Line()}] = true
		r.definitions[Use{id.Value, id.Line()}] = true
	}
	if s.Name.Func != nil {
		s.Name.Func = r.expr(s.Name.Func)
	} else {
		s.Name.Receiver = r.expr(s.Name.Receiver)
		r.constant(s.Line(), 's', s.Name.Method)
	}
	s.Func = r.expr(s.Func).(*ast.FunctionExpr)
}

// assign goes round a fault of the compiler: a call that is cut to one result and assigned to the last parameter of the function has its
// function loaded into that parameter before the arguments are read (`x = (f(x))`, `x, y = f(x), 1`).
func (r *rewriter) assign(s *ast.AssignStmt) ast.Stmt {
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		if call, ok := s.Rhs[0].(*ast.FuncCallExpr); ok {
			call.AdjustRet = false // one name takes one result anyhow
		}
		return s
	}
	hit := false
	for i, e := range s.Rhs {
		call, ok := e.(*ast.FuncCallExpr)
		if ok && i < len(s.Lhs) && (call.AdjustRet || i < len(s.Rhs)-1) {
			if _, ok := s.Lhs[i].(*ast.IdentExpr); ok {
				hit = true
			}
		}
	}
	if !hit {
		return s
	}
	names, temps := make([]string, len(s.Lhs)), make([]ast.Expr, len(s.Lhs))
	for i := range names {
		r.temps++
		names[i] = "(temp " + strconv.Itoa(r.temps) + ")"
		id := &ast.IdentExpr{Value: names[i]}
		id.SetLine(s.Line())
		temps[i] = id
	}
	local := &ast.LocalAssignStmt{Names: names, Exprs: s.Rhs}
	local.SetLine(s.Line())
	set := &ast.AssignStmt{Lhs: s.Lhs, Rhs: temps}
	set.SetLine(s.Line())
	do := &ast.DoBlockStmt{Stmts: []ast.Stmt{local, set}}
	do.SetLine(s.Line())
	do.SetLastLine(max(s.LastLine(), s.Line()))
	return do
}

func (r *rewriter) exprs(list []ast.Expr) {
	for i := range list {
		list[i] = r.expr(list[i])
	}
}

func (r *rewriter) expr(expr ast.Expr) ast.Expr {
	r.enter(expr.Line())
	defer func() { r.depth-- }()
	switch e := expr.(type) {
	case *ast.NumberExpr:
		return r.number(e)
	case *ast.StringExpr:
		r.constant(e.Line(), 's', e.Value)
	case *ast.IdentExpr:
		r.constant(e.Line(), 's', e.Value)
	case *ast.AttrGetExpr:
		e.Object, e.Key = r.expr(e.Object), r.expr(e.Key)
	case *ast.TableExpr:
		r.table(e)
	case *ast.FuncCallExpr:
		if e.Func != nil {
			e.Func = r.expr(e.Func)
		} else {
			e.Receiver = r.expr(e.Receiver)
			r.constant(e.Line(), 's', e.Method)
		}
		r.exprs(e.Args)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		r.enterArithmetic(e.Line())
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
		r.arithmetic--
	case *ast.UnaryMinusOpExpr:
		r.enterArithmetic(e.Line())
		e.Expr = r.expr(e.Expr)
		r.arithmetic--
	case *ast.UnaryNotOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.StringConcatOpExpr:
		return r.concat(e)
	case *ast.FunctionExpr:
		r.function(func() { r.block(e.Stmts) })
	}
	return expr
}

func (r *rewriter) enterArithmetic(line int) {
	if r.arithmetic++; r.arithmetic > maxArithmetic {
		r.fail(line, "more than %d arithmetic operators in one expression; split it", maxArithmetic)
	}
}

func (r *rewriter) table(e *ast.TableExpr) {
	items := 0
	for _, f := range e.Fields {
		if f.Key != nil {
			f.Key = r.expr(f.Key)
		} else if items++; items > maxListItems {
			r.fail(f.Value.Line(), "more than %d items in one table constructor", maxListItems)
		}
		f.Value = r.expr(f.Value)
	}
}

// number puts a literal into a form that the compiler reads as Lua does: it takes 0010 for octal, what it cannot read or is infinite for
// NaN, and has no hexadecimals of 64 bits.
func (r *rewriter) number(e *ast.NumberExpr) ast.Expr {
	v, ok := parseNumber(e.Value)
	if !ok {
		r.fail(e.Line(), "malformed number near '%s'", e.Value)
	}
	if math.IsInf(v, 0) {
		big := &ast.NumberExpr{Value: "1e308"}
		big.SetLine(e.Line())
		product := &ast.ArithmeticOpExpr{Operator: "*", Lhs: big, Rhs: big} // folded into infinity
		product.SetLine(e.Line())
		return product
	}
	plain := strings.Trim(e.Value, "0123456789") == "" && len(e.Value) < 16 && (len(e.Value) == 1 || e.Value[0] != '0')
	if !plain {
		e.Value = strconv.FormatFloat(v, 'g', -1, 64)
	}
	r.constant(e.Line(), 'n', e.Value)
	return e
}

// concat flattens a chain of ".." into one call of the hidden join. Literals at the end are joined at once.
func (r *rewriter) concat(e *ast.StringConcatOpExpr) ast.Expr {
	line := e.Line()
	var operands []ast.Expr
	for {
		operands = append(operands, single(r.expr(e.Lhs)))
		right, ok := e.Rhs.(*ast.StringConcatOpExpr)
		if !ok {
			break
		}
		e = right
	}
	operands = foldTail(append(operands, single(r.expr(e.Rhs))))
	if len(operands) == 1 {
		return operands[0]
	}
	if len(operands) > joinOperands {
		r.fail(line, "more than %d operands of .. in one expression; use table.concat", joinOperands)
	}
	r.constant(line, 's', concatName)
	return join(operands, line)
}

// foldTail joins the string literals at the end of a chain. Those before another operand stay, because a metamethod of it may see them.
func foldTail(operands []ast.Expr) []ast.Expr {
	first := len(operands)
	for first > 0 {
		if _, ok := operands[first-1].(*ast.StringExpr); !ok {
			break
		}
		first--
	}
	if first >= len(operands)-1 {
		return operands
	}
	var b strings.Builder
	for _, x := range operands[first:] {
		b.WriteString(x.(*ast.StringExpr).Value)
	}
	joined := &ast.StringExpr{Value: b.String()}
	joined.SetLine(operands[first].Line())
	return append(operands[:first:first], joined)
}

func join(operands []ast.Expr, line int) ast.Expr {
	fn := &ast.IdentExpr{Value: concatName}
	fn.SetLine(line)
	// Not AdjustRet: the join gives one result anyhow, and the compiler miscompiles adjusted calls (see assign).
	call := &ast.FuncCallExpr{Func: fn, Args: operands}
	call.SetLine(line)
	return call
}

// single cuts a call or ... at the end of an argument list to one value, as the operands of an operator are.
func single(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.FuncCallExpr:
		x.AdjustRet = true
	case *ast.Comma3Expr:
		x.AdjustRet = true
	}
	return x
}
