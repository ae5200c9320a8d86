package sandbox

import (
	"fmt"
	"math"
	"slices"
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
	definitions map[use]bool // function x() … end at file level of names
	temps       int
}

// constants counts what one function refers to.
type constants struct {
	uses     int
	distinct map[string]struct{}
}

// chunk rewrites a tree and returns it; its statements may have moved.
func (r *rewriter) chunk(stmts []ast.Stmt) (chunk []ast.Stmt, err error) {
	defer func() {
		if rcv := recover(); rcv != nil {
			se, ok := rcv.(*SyntaxError)
			if !ok {
				panic(rcv)
			}
			chunk, err = nil, se
		}
	}()
	r.definitions = map[use]bool{}
	r.function(func() { chunk = r.block(stmts) })
	return chunk, nil
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
	if r.definitions[use{name, line}] {
		advice = "write local function " + name
	}
	return &SyntaxError{File: r.file, Line: max(line, 1), Message: fmt.Sprintf("assignment to the undeclared global '%s'; %s", name, advice)}
}

func (r *rewriter) block(stmts []ast.Stmt) []ast.Stmt {
	for i := range stmts {
		stmts[i] = r.stmt(stmts[i])
	}
	for i := len(stmts) - 1; i > 0; i-- {
		if _, label := stmts[i-1].(*ast.LabelStmt); label && startsWithJump(stmts[i:]) {
			stmts = slices.Insert(stmts, i, r.pad(stmts[i].Line()))
		}
	}
	return stmts
}

// loop is block for the body of a loop. The compiler shortens jumps to jumps, but reads one that it has shortened before as if it had not:
// a jump back to a jump goes anywhere (`while true do break end`, `for k in pairs(t) do if false then … end end`).
func (r *rewriter) loop(stmts []ast.Stmt, line int) []ast.Stmt {
	if stmts = r.block(stmts); startsWithJump(stmts) {
		return slices.Insert(stmts, 0, r.pad(line))
	}
	return stmts
}

// startsWithJump reports whether the first instruction of statements may be a jump.
func startsWithJump(stmts []ast.Stmt) bool {
	if len(stmts) == 0 {
		return true
	}
	switch s := stmts[0].(type) {
	case *ast.BreakStmt, *ast.LabelStmt, *ast.GotoStmt:
		return true
	case *ast.DoBlockStmt:
		return startsWithJump(s.Stmts) || startsWithJump(stmts[1:])
	case *ast.IfStmt:
		return isConstantish(s.Condition)
	case *ast.WhileStmt:
		return isConstantish(s.Condition)
	case *ast.RepeatStmt:
		return startsWithJump(s.Stmts)
	}
	return false
}

func isConstantish(e ast.Expr) bool {
	switch e.(type) {
	case *ast.LogicalOpExpr, *ast.UnaryNotOpExpr, *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.NumberExpr, *ast.StringExpr:
		return true
	}
	return false
}

// pad is a statement that does nothing, in one instruction that is no jump.
func (r *rewriter) pad(line int) ast.Stmt {
	local := &ast.LocalAssignStmt{Names: []string{r.temp()}, Exprs: []ast.Expr{&ast.NilExpr{}}}
	local.SetLine(line)
	local.Exprs[0].SetLine(line)
	do := &ast.DoBlockStmt{Stmts: []ast.Stmt{local}}
	do.SetLine(line)
	do.SetLastLine(line)
	return do
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
		s.Stmts = r.block(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = r.expr(s.Condition)
		s.Stmts = r.loop(s.Stmts, s.Line())
	case *ast.RepeatStmt:
		s.Stmts = r.loop(s.Stmts, s.Line())
		s.Condition = r.expr(s.Condition)
	case *ast.IfStmt:
		s.Condition = r.expr(s.Condition)
		s.Then = r.block(s.Then)
		s.Else = r.block(s.Else)
	case *ast.NumberForStmt:
		s.Init, s.Limit = r.expr(s.Init), r.expr(s.Limit)
		if s.Step != nil {
			s.Step = r.expr(s.Step)
		}
		s.Stmts = r.block(s.Stmts)
	case *ast.GenericForStmt:
		r.exprs(s.Exprs)
		s.Stmts = r.loop(s.Stmts, s.Line())
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
		r.definitions[use{id.Value, s.Line()}] = true
		r.definitions[use{id.Value, id.Line()}] = true
	}
	if s.Name.Func != nil {
		s.Name.Func = r.expr(s.Name.Func)
	} else {
		s.Name.Receiver = r.expr(s.Name.Receiver)
		r.constant(s.Line(), 's', s.Name.Method)
	}
	s.Func = r.expr(s.Func).(*ast.FunctionExpr)
}

// assign goes round three faults of the compiler. `x = f() and y` leaves a local x as it was when f gives false. It writes a local as soon as its own value is known, before the other values are read
// (`a, b = b, a` loses a); and a call that is cut to one result and assigned to the last parameter of the function has its function
// loaded into that parameter before the arguments are read (`x = (f(x))`, `x = f(x), 1`). So such
// statements compute everything into new locals first, and then assign one by one, from the right, as Lua does.
func (r *rewriter) assign(s *ast.AssignStmt) ast.Stmt {
	if len(s.Lhs) == 1 && len(s.Rhs) == 1 {
		switch value := s.Rhs[0].(type) {
		case *ast.FuncCallExpr:
			value.AdjustRet = false // one name takes one result anyhow
			return s
		case *ast.LogicalOpExpr: // goes on below
		default:
			return s
		}
	}
	if !slices.ContainsFunc(s.Lhs, func(e ast.Expr) bool { _, ok := e.(*ast.IdentExpr); return ok }) {
		return s
	}
	line := s.Line()
	do := &ast.DoBlockStmt{}
	do.SetLine(line)
	do.SetLastLine(max(s.LastLine(), line))
	for _, target := range s.Lhs {
		if t, ok := target.(*ast.AttrGetExpr); ok {
			t.Object = r.hold(do, t.Object)
			if _, literal := t.Key.(*ast.StringExpr); !literal {
				t.Key = r.hold(do, t.Key)
			}
		}
	}
	values := &ast.LocalAssignStmt{Exprs: s.Rhs}
	values.SetLine(line)
	do.Stmts = append(do.Stmts, values)
	for range s.Lhs {
		values.Names = append(values.Names, r.temp())
	}
	for i := len(s.Lhs) - 1; i >= 0; i-- {
		set := &ast.AssignStmt{Lhs: s.Lhs[i : i+1 : i+1], Rhs: []ast.Expr{named(values.Names[i], line)}}
		set.SetLine(line)
		do.Stmts = append(do.Stmts, set)
	}
	return do
}

// hold puts the value of e into a new local of the block and returns its name.
func (r *rewriter) hold(do *ast.DoBlockStmt, e ast.Expr) ast.Expr {
	local := &ast.LocalAssignStmt{Names: []string{r.temp()}, Exprs: []ast.Expr{single(e)}}
	local.SetLine(e.Line())
	do.Stmts = append(do.Stmts, local)
	return named(local.Names[0], e.Line())
}

// temp returns a name that no source can spell.
func (r *rewriter) temp() string {
	r.temps++
	return "(temp " + strconv.Itoa(r.temps) + ")"
}

func named(name string, line int) *ast.IdentExpr {
	id := &ast.IdentExpr{Value: name}
	id.SetLine(line)
	return id
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
		r.function(func() { e.Stmts = r.block(e.Stmts) })
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
	// Not AdjustRet: the join gives one result anyhow, and the compiler miscompiles adjusted calls (see assign).
	call := &ast.FuncCallExpr{Func: named(concatName, line), Args: operands}
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
