package sandbox

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"
)

// FaultKind says whose fault an error is.
type FaultKind uint8

const (
	Raised    FaultKind = iota // error("message"), error{ message=… }, assert(x, msg): meant for the model
	Broken                     // any other Lua error: the tool has a fault
	Timeout                    // over Limits.Wall
	Cancelled                  // the parent context was cancelled
	Limit                      // steps, bytes, string size, stack
	Denied                     // a person or a rule said no (ctx:confirm): ends the call
	Crashed                    // a Go panic
)

func (k FaultKind) String() string {
	return [...]string{"raised", "broken", "timeout", "cancelled", "limit", "denied", "crashed"}[k]
}

// Fault is an error out of Lua code.
type Fault struct {
	Kind      FaultKind
	Message   string // Raised, Denied: as given, without position; else one plain sentence; at most some 8,000 bytes of UTF-8
	Hint      string // of error{ hint = … }
	File      string // chunk name as compiled, e.g. "tools/greet.lua"
	Line      int    // 0 when unknown
	Traceback string // Lua traceback, for the author; a few lines at most
	Panic     string // of a Crashed: what Go said, with its stack; for the host's log alone
}

func (f *Fault) Error() string { return f.Message }

// raised is a value that Lua code can meet as an error, with what it means should it leave the call.
type raised struct {
	value lua.LValue
	fault *Fault
}

// Raise raises an error meant for the model, as error{ message = …, hint = … } does. It does not return.
func Raise(L *lua.LState, message, hint string) {
	raiseHere(L, &Fault{Kind: Raised, Message: message, Hint: hint})
}

// raiseLimit raises an error that pcall may catch, because nothing was used up yet.
func raiseLimit(L *lua.LState, message string) {
	raiseHere(L, &Fault{Kind: Limit, Message: message})
}

// raiseHere raises f with the position of the Lua code that called the running Go function.
func raiseHere(L *lua.LState, f *Fault) {
	f.File, f.Line = frameAt(L, 1)
	raiseAs(L, lua.LString(prefix(f.File, f.Line)+f.Message), f)
}

// raiseAs raises a value and remembers what it means.
func raiseAs(L *lua.LState, value lua.LValue, f *Fault) {
	if c := CallOf(L); c != nil {
		c.last = raised{value, f}
	}
	L.Error(value, 0)
}

// Deny ends the call as denied: pcall cannot catch it. It does not return.
func Deny(L *lua.LState, message string) {
	if c := CallOf(L); c != nil {
		c.over(Denied, cut(message))
	}
	L.Error(lua.LString(message), 0)
}

// prefix is what Lua puts before a message.
func prefix(file string, line int) string {
	if line <= 0 {
		return ""
	}
	return file + ":" + strconv.Itoa(line) + ": "
}

// frameAt returns where the function at a level is, 1 being the one that called the running Go function; nothing for a Go function.
func frameAt(L *lua.LState, level int) (file string, line int) {
	dbg, ok := L.GetStack(level)
	if !ok {
		return "", 0
	}
	if _, err := L.GetInfo("Sl", dbg, lua.LNil); err != nil {
		return "", 0
	}
	return dbg.Source, dbg.CurrentLine
}

// throw is the Panic function of threads whose errors pcall catches; throwTraced that of those where an error ends the call or a
// coroutine. The original formats a traceback for every error, also for those that are caught.
func throw(L *lua.LState) {
	c := CallOf(L)
	if c == nil {
		panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: L.Get(-1), StackTrace: "-"})
	}
	c.thrown = L.Get(-1)
	if c.fault != nil && (c.fault.Traceback == "" || c.fault.File == "") && c.fault != errNotBegun {
		c.fault.setPlace(placeOf(L))
	}
	panic(&lua.ApiError{Type: lua.ApiErrorRun, Object: c.thrown, StackTrace: "-"})
}

func throwTraced(L *lua.LState) {
	if c := CallOf(L); c != nil && c.fault == nil {
		c.where = placeOf(L)
	}
	throw(L)
}

func (f *Fault) setPlace(p place) {
	if f.File == "" {
		f.File, f.Line = p.file, p.line
	}
	if f.Traceback == "" {
		f.Traceback = p.traceback
	}
}

const tracebackEnds = 8 // frames shown of either end of the stack

// placeOf describes the running thread of L.
func placeOf(L *lua.LState) place {
	var p place
	var lines []string
	for level := 0; ; level++ {
		dbg, ok := L.GetStack(level)
		if !ok {
			break
		}
		fn, err := L.GetInfo("nSlf", dbg, lua.LNil)
		if err != nil || isPlumbing(fn) {
			continue
		}
		if len(lines) == 2*tracebackEnds+1 { // keep both ends; a stack has at most some 200 frames
			copy(lines[tracebackEnds+1:], lines[tracebackEnds+2:])
			lines[tracebackEnds], lines = "  …", lines[:len(lines)-1]
		}
		if dbg.CurrentLine <= 0 {
			lines = append(lines, "  [Go]: in "+functionText(dbg))
			continue
		}
		if p.file == "" {
			p.file, p.line = dbg.Source, dbg.CurrentLine
		}
		lines = append(lines, fmt.Sprintf("  %s:%d: in %s", dbg.Source, dbg.CurrentLine, functionText(dbg)))
	}
	p.traceback = strings.Join(lines, "\n")
	return p
}

// isPlumbing reports whether a function is one of ours between the caller and the called.
func isPlumbing(v lua.LValue) bool {
	fn, ok := v.(*lua.LFunction)
	return ok && (fn == enterMain || fn == enterThread || fn.Proto == trampoline)
}

func functionText(dbg *lua.Debug) string {
	switch {
	case dbg.Source != "" && dbg.LineDefined == 0:
		return "main chunk"
	case dbg.Name == "" || strings.ContainsAny(dbg.Name[:1], "(<?"):
		if dbg.Source != "" {
			return fmt.Sprintf("the function at line %d", dbg.LineDefined)
		}
		return "a function"
	}
	name := dbg.Name
	if len(name) > 60 {
		name = name[:60] + "…"
	}
	return "function '" + strings.ToValidUTF8(name, "?") + "'"
}

// translate makes a Fault of what left Lua code. It calls no metamethod.
func (c *Call) translate(value lua.LValue) *Fault {
	if c.fault != nil {
		return c.fault
	}
	f := c.meaning(value)
	f.setPlace(c.where)
	if f.Kind == Broken {
		f.Message = "the tool has a fault: " + f.Message
		if f.File != "" {
			f.Message += fmt.Sprintf(" (%s:%d)", f.File, f.Line)
		}
	}
	return f
}

// meaning says what a raised value means, a Broken one still without the words around it.
func (c *Call) meaning(value lua.LValue) *Fault {
	if c.last.fault != nil && c.last.value == value {
		f := *c.last.fault
		f.Message, f.Hint = cut(f.Message), cut(f.Hint)
		return &f
	}
	switch v := value.(type) {
	case *lua.LTable:
		return tableFault(v)
	case lua.LString:
		// Raised by the VM or a library function, so the position is not of the tool's making.
		file, line, rest := splitPosition(string(v))
		f := vmFault(rest)
		f.File, f.Line = file, line
		return f
	case lua.LNumber:
		return &Fault{Kind: Raised, Message: numberText(v)}
	case *lua.LNilType:
		return &Fault{Kind: Broken, Message: "error was called without a message"}
	}
	return &Fault{Kind: Broken, Message: "error was called with a " + typeName(value) + " instead of a message"}
}

func tableFault(t *lua.LTable) *Fault {
	message, ok := plainText(t.RawGetString("message"))
	if !ok {
		return &Fault{Kind: Broken, Message: "error was called with a table that has no message"}
	}
	hint, _ := plainText(t.RawGetString("hint"))
	return &Fault{Kind: Raised, Message: message, Hint: hint}
}

func plainText(v lua.LValue) (string, bool) {
	switch v := v.(type) {
	case lua.LString:
		return cut(string(v)), true
	case lua.LNumber:
		return numberText(v), true
	}
	return "", false
}

// vmFault puts the texts of the VM into the words that Lua users know.
func vmFault(text string) *Fault {
	text = cut(text)
	switch {
	case strings.HasPrefix(text, "stack overflow"), strings.HasPrefix(text, "lua callstack overflow"):
		return &Fault{Kind: Limit, Message: stackText}
	case strings.HasPrefix(text, "registry overflow"):
		return &Fault{Kind: Limit, Message: fmt.Sprintf("more than %d values on the Lua stack", maxRegistry)}
	case text == "attempt to call a non-function object":
		text = "attempt to call a value that is not a function"
	case text == "__unm undefined":
		text = "attempt to perform arithmetic on a value that is not a number"
	case text == "__len undefined":
		text = "attempt to get the length of a value that has none"
	case strings.HasPrefix(text, "attempt to index a non-table object("):
		kind, rest, _ := strings.Cut(strings.TrimPrefix(text, "attempt to index a non-table object("), ")")
		text = "attempt to index a " + kind + " value" + rest
	case strings.HasPrefix(text, "cannot perform "):
		text = "attempt to perform arithmetic: " + strings.Replace(strings.TrimPrefix(text, "cannot perform "), " operation between", " of", 1)
	}
	return &Fault{Kind: Broken, Message: text}
}

var stackText = fmt.Sprintf("more than %d calls inside one another (stack overflow)", maxFrames)

// splitPosition takes "file:line: " off an error text.
func splitPosition(text string) (file string, line int, rest string) {
	head := text
	if len(head) > 500 {
		head = head[:500]
	}
	for from := 0; ; {
		i := strings.IndexByte(head[from:], ':')
		if i < 0 {
			return "", 0, text
		}
		i += from
		j := strings.Index(head[i+1:], ": ")
		if j < 0 {
			return "", 0, text
		}
		if n, err := strconv.Atoi(head[i+1 : i+1+j]); err == nil && n > 0 && !strings.ContainsAny(head[:i], "\n") {
			return head[:i], n, text[i+1+j+2:]
		}
		from = i + 1
	}
}

// cut bounds a text and makes it valid UTF-8.
func cut(s string) string {
	if len(s) > maxText {
		end := maxText
		for end > maxText-utf8.UTFMax && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
