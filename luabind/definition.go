package luabind

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Definition is one tool as declared by tool{…}.
type Definition struct {
	Name, Title, Description string // Name is empty when the file's name is meant

	// Input and Output are the schemas as clients are shown them: objects with properties and required, without line breaks.
	// Output is nil when it is not declared.
	Input, Output  json.RawMessage
	OutputDeclared bool

	// InputGate and OutputGate are what arguments and results are judged by. They also refuse members that are not declared, which
	// clients are not shown, and check patterns that only RE2 can read. For a raw schema they equal Input and Output.
	InputGate, OutputGate json.RawMessage

	Permissions                                  Permissions
	ReadOnly, Destructive, Idempotent, OpenWorld *bool         // nil: not given
	Timeout                                      time.Duration // 0: not given
	Rate                                         string        // as ParseRate reads it; empty: not given
	Concurrency                                  int           // 0: not given
	Confirm                                      string        // the text form
	ConfirmFunc                                  *lua.LFunction
	Keep                                         bool
	AlwaysLoad                                   bool            // default true
	MaxResult                                    int64           // bytes; 0: not given
	Examples                                     json.RawMessage // list of { input, output, note }
	Enabled                                      *bool           // nil: not given, or a function
	EnabledFunc                                  *lua.LFunction
	Annotations, Icons, Meta                     json.RawMessage
	Run                                          *lua.LFunction
	Line                                         int // of the tool call
}

// toolValue is what tool{…} returns: in a lean state the functions alone.
type toolValue struct {
	run, confirm, enabled *lua.LFunction
	def                   *Definition // nil in a lean state
	faults                []Fault     // of the declaration; a tool with any is not one
}

var toolMetatable = opaque("tool")

// Tools returns the definitions among the values that a file returned (one tool, or a list of tools), in order. Several returned
// values are taken as a list. In mode Lean only Run, ConfirmFunc and EnabledFunc are set. When tools are wrongly declared the error is a
// *FaultsError with all that is wrong.
func Tools(values []lua.LValue) ([]*Definition, error) {
	defs, err := tools(values)
	if err == nil {
		err = declarationFaults(values)
	}
	if err != nil {
		return nil, err
	}
	return defs, nil
}

func tools(values []lua.LValue) ([]*Definition, error) {
	if len(values) == 1 {
		if list, ok := values[0].(*lua.LTable); ok {
			return toolList(list)
		}
	}
	var defs []*Definition
	for _, v := range values {
		if v == lua.LNil && len(values) == 1 {
			return nil, nil
		}
		def, err := definitionOf(v)
		if err != nil {
			return nil, fmt.Errorf("the file returned %s: want return tool{ … }, or a list of tools", got(v))
		}
		defs = append(defs, def)
	}
	return defs, nil
}

func toolList(list *lua.LTable) ([]*Definition, error) {
	defs := make([]*Definition, 0, list.Len())
	for k, v := list.Next(lua.LNil); k != lua.LNil; k, v = list.Next(k) {
		if _, named := k.(lua.LString); named {
			if list.RawGetString("run") != lua.LNil || list.RawGetString("description") != lua.LNil {
				return nil, errors.New("the file returned a plain table: write return tool{ … }")
			}
			return nil, fmt.Errorf("the file returned a table with the key %s: want a list of tools; a tool's name is its field name", keyText(k))
		}
		def, err := definitionOf(v)
		if err != nil {
			return nil, fmt.Errorf("item %s of the returned list is %s: want a tool", k, got(v))
		}
		defs = append(defs, def)
	}
	if list.Len() != len(defs) {
		return nil, errors.New("the returned list of tools has a gap")
	}
	return defs, nil
}

var errNoTool = errors.New("no tool")

func definitionOf(v lua.LValue) (*Definition, error) {
	ud, ok := v.(*lua.LUserData)
	if !ok {
		return nil, errNoTool
	}
	t, ok := ud.Value.(*toolValue)
	if !ok {
		return nil, errNoTool
	}
	if t.def != nil {
		return t.def, nil
	}
	return &Definition{Run: t.run, ConfirmFunc: t.confirm, EnabledFunc: t.enabled}, nil
}

// Functions are what a call needs of a tool. Confirm and Enabled are nil when they are no functions.
type Functions struct{ Run, Confirm, Enabled *lua.LFunction }

// FunctionsOf returns the functions of tool i among the values that a file returned, and how many tools there are, without making
// definitions. ok is false when there is no such tool.
func FunctionsOf(values []lua.LValue, i int) (f Functions, n int, ok bool) {
	n = len(values)
	v := lua.LNil
	if list, isList := first(values).(*lua.LTable); isList && n == 1 {
		n = list.Len()
		v = list.RawGetInt(i + 1)
	} else if i >= 0 && i < n {
		v = values[i]
	}
	ud, isUD := v.(*lua.LUserData)
	if !isUD {
		return Functions{}, n, false
	}
	t, isTool := ud.Value.(*toolValue)
	if !isTool {
		return Functions{}, n, false
	}
	return Functions{t.run, t.confirm, t.enabled}, n, true
}

func first(values []lua.LValue) lua.LValue {
	if len(values) == 0 {
		return lua.LNil
	}
	return values[0]
}
