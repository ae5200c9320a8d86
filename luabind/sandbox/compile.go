package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
)

const (
	maxCode     = 100_000 // instructions of one function: jumps are 18 bits, and the compiler does not look
	maxUpvalues = 200     // of one function: their number is a byte, and the compiler does not look
)

// Compile makes a function prototype of a tree from [Parse]. It rewrites the tree in place (the result can be compiled again); the
// prototype is never written afterwards and may be shared by any number of states. An error is a *SyntaxError.
//
// Writing a global is refused here, with its line. Tail calls become plain calls, and .. becomes one bounded join.
func Compile(chunk []ast.Stmt, name string) (proto *lua.FunctionProto, err error) {
	defer func() {
		if rcv := recover(); rcv != nil {
			proto, err = nil, &SyntaxError{File: name, Line: 1, Message: "the file cannot be compiled"}
		}
	}()
	r := rewriter{file: name}
	chunk, err = r.chunk(chunk)
	if err != nil {
		return nil, err
	}
	proto, err = lua.Compile(chunk, name)
	if err != nil {
		if ce, ok := errors.AsType[*lua.CompileError](err); ok {
			return nil, explainCompile(name, ce)
		}
		return nil, &SyntaxError{File: name, Line: 1, Message: err.Error()}
	}
	if err := harden(proto, &r); err != nil {
		return nil, err
	}
	return proto, nil
}

func explainCompile(name string, ce *lua.CompileError) *SyntaxError {
	e := &SyntaxError{File: name, Line: max(ce.Line, 1), Message: ce.Message}
	// An unknown label is reported for the last line of the function.
	if head, line, ok := strings.Cut(ce.Message, " for <goto> at line "); ok {
		if n, err := strconv.Atoi(line); err == nil {
			e.Line, e.Message = n, head+" for goto"
		}
	}
	return e
}

const (
	opBits = 26
	opMask = 1<<opBits - 1
)

// harden checks and mends what the compiler made, nested functions too.
func harden(p *lua.FunctionProto, r *rewriter) error {
	if len(p.Code) > maxCode {
		return &SyntaxError{File: r.file, Line: max(p.LineDefined, 1), Message: fmt.Sprintf("a function of more than %d instructions; split it", maxCode)}
	}
	if len(p.DbgUpvalues) > maxUpvalues {
		return &SyntaxError{File: r.file, Line: max(p.LineDefined, 1), Message: fmt.Sprintf("a function that uses more than %d outer locals", maxUpvalues)}
	}
	for pc, inst := range p.Code {
		switch int(inst >> opBits) {
		case lua.OP_TAILCALL:
			// A tail call makes tracebacks grow without end, and a panic below one leaves PCall.
			p.Code[pc] = inst&opMask | uint32(lua.OP_CALL)<<opBits
		case lua.OP_SETGLOBAL:
			return r.undeclared(p.Constants[inst&0x3ffff].String(), p.DbgSourcePositions[pc])
		}
	}
	// The compiler leaves room for a thousand instructions in every function.
	p.Code, p.DbgSourcePositions = slices.Clone(p.Code), slices.Clone(p.DbgSourcePositions)
	p.Constants, p.DbgLocals = slices.Clone(p.Constants), slices.Clone(p.DbgLocals)
	p.DbgCalls, p.DbgUpvalues = slices.Clone(p.DbgCalls), slices.Clone(p.DbgUpvalues)
	p.FunctionPrototypes = slices.Clone(p.FunctionPrototypes)
	for _, child := range p.FunctionPrototypes {
		if err := harden(child, r); err != nil {
			return err
		}
	}
	return nil
}

// use is a name at a line of the source.
type use struct {
	Name string
	Line int
}
