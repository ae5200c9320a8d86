package scripts

import (
	"errors"

	lua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"

	"github.com/luatools/luatools/luabind/sandbox"
)

// parseSource reads the syntax tree of a file.
func parseSource(src *source) ([]ast.Stmt, *Error) {
	chunk, err := sandbox.Parse(src.file, []byte(src.text))
	if err != nil {
		return nil, src.syntaxFault(err)
	}
	return chunk, nil
}

// compileSource compiles a tree. It rewrites the tree in place, so whoever wants to look at it as written looks before.
func compileSource(src *source, chunk []ast.Stmt) (*lua.FunctionProto, *Error) {
	proto, err := sandbox.Compile(chunk, src.file)
	if err != nil {
		return nil, src.syntaxFault(err)
	}
	return proto, nil
}

func (s *source) syntaxFault(err error) *Error {
	if e, ok := errors.AsType[*sandbox.SyntaxError](err); ok {
		return s.fault(e.Line, e.Col, 1, e.Message)
	}
	return s.fault(0, 0, 0, err.Error())
}
