package luajson

import (
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/protocol"
)

// EncodeOptions says how Lua becomes JSON. The zero value works.
type EncodeOptions struct {
	Limits Limits

	// Indent, when it is not empty, writes each element on a line of its own, indented by it once a level.
	Indent string

	// Shape decides where an unmarked empty table is a list or an object. Nil makes it a list.
	Shape *Shape

	// Name stands for the whole value in the paths of errors, "value" when empty.
	Name string
}

// Append encodes v at the end of dst. Members stand in the order in which their keys were first set. A table is a list when
// it has element 1 or the mark of a list, and an object when all its keys are strings. Invalid UTF-8 becomes U+FFFD.
//
// Append never calls a metamethod. Functions, threads, userdata other than Null and json.integer, NaN and infinite numbers,
// lists with gaps, mixed keys, a table inside itself and what is over a limit are an *EncodeError; dst then ends with what
// was written so far.
func Append(dst []byte, v lua.LValue, o EncodeOptions) ([]byte, error) {
	e := encoder{dst: dst, o: o, limits: o.Limits.withDefaults()}
	e.end = len(dst) + e.limits.Bytes
	if err := e.value(v, o.Shape); err != nil {
		name := o.Name
		if name == "" {
			name = "value"
		}
		err.Path = name + err.Path
		return e.dst, err
	}
	return e.dst, nil
}

type encoder struct {
	dst    []byte
	end    int // the length that dst may have
	nodes  int
	limits Limits
	o      EncodeOptions

	// The tables that are being written, outermost first: depth of them, the first ones without memory of their own.
	depth int
	open  [8]*lua.LTable
	deep  []*lua.LTable
}

func fault(message string) *EncodeError { return &EncodeError{Message: message} }

func (e *encoder) value(v lua.LValue, shape *Shape) *EncodeError {
	if e.nodes++; e.nodes > e.limits.Nodes {
		return fault("more than " + strconv.Itoa(e.limits.Nodes) + " values")
	}
	switch v := v.(type) {
	case lua.LString:
		if room := e.end - len(e.dst); len(v) > room {
			e.dst = protocol.AppendString(e.dst, string(v[:max(room, 0)])) // somebody may want to show what fits
			return e.tooLarge()
		}
		e.dst = protocol.AppendString(e.dst, string(v))
	case lua.LNumber:
		f := float64(v)
		if math.IsNaN(f) {
			return fault("NaN (0/0) cannot be sent: JSON has no such number")
		}
		if math.IsInf(f, 0) {
			return fault("an infinite number cannot be sent: JSON has none")
		}
		e.dst = AppendNumber(e.dst, f)
	case lua.LBool:
		e.dst = strconv.AppendBool(e.dst, bool(v))
	case *lua.LTable:
		if err := e.table(v, shape); err != nil {
			return err
		}
	case *lua.LNilType:
		e.dst = append(e.dst, "null"...)
	case *lua.LUserData:
		text, ok := Digits(v)
		if v == Null {
			text, ok = "null", true
		}
		if !ok {
			return fault(nameOf(v) + " cannot be sent")
		}
		e.dst = append(e.dst, text...)
	default:
		return fault("a " + v.Type().String() + " cannot be sent")
	}
	if len(e.dst) > e.end {
		return e.tooLarge()
	}
	return nil
}

func (e *encoder) tooLarge() *EncodeError {
	err := fault("the JSON is larger than " + strconv.Itoa(e.limits.Bytes) + " bytes")
	err.cause = ErrTooLarge
	return err
}

// nameOf says what a userdata is: its kind calls itself something in __metatable.
func nameOf(ud *lua.LUserData) string {
	if mt, ok := ud.Metatable.(*lua.LTable); ok {
		if name, ok := mt.RawGetString("__metatable").(lua.LString); ok && name != "" {
			if strings.IndexByte("aeiou", name[0]) >= 0 {
				return "an " + string(name)
			}
			return "a " + string(name)
		}
	}
	return "a userdata"
}

func (e *encoder) table(t *lua.LTable, shape *Shape) *EncodeError {
	if err := e.enter(t); err != nil {
		return err
	}
	var err *EncodeError
	if n := t.Len(); n > 0 || t.Metatable == arrayMark {
		err = e.list(t, n, shape)
	} else if k, v := t.Next(lua.LNil); k != lua.LNil {
		err = e.object(t, k, v, shape)
	} else if t.Metatable == objectMark || shape != nil && shape.Kind == ObjectKind {
		e.dst = append(e.dst, '{', '}')
	} else {
		e.dst = append(e.dst, '[', ']')
	}
	e.depth--
	return err
}

// enter notes that t is being written, unless it already is or lies too deep.
func (e *encoder) enter(t *lua.LTable) *EncodeError {
	for i := range e.depth {
		if i < len(e.open) && e.open[i] == t || i >= len(e.open) && e.deep[i-len(e.open)] == t {
			return fault("the table contains itself")
		}
	}
	if e.depth >= e.limits.Depth {
		return fault("nested deeper than " + strconv.Itoa(e.limits.Depth) + " levels")
	}
	if e.depth < len(e.open) {
		e.open[e.depth] = t
	} else {
		e.deep = append(e.deep[:e.depth-len(e.open)], t)
	}
	e.depth++
	return nil
}

func (e *encoder) list(t *lua.LTable, n int, shape *Shape) *EncodeError {
	if t.Metatable == objectMark {
		return fault("an object has a key that is no string: 1")
	}
	last := lua.LNil
	if n > 0 {
		last = number(n) // Next takes 0 for a key like any other
	}
	if k, _ := t.Next(last); k != lua.LNil {
		return fault("the table is a list and has also the key " + keyText(k) + ": JSON has no such mixture")
	}
	items := shape.items()
	e.dst = append(e.dst, '[')
	for i := 1; i <= n; i++ {
		if i > 1 {
			e.dst = append(e.dst, ',')
		}
		e.line(0)
		v := t.RawGetInt(i)
		if v == lua.LNil {
			return under("["+strconv.Itoa(i)+"]", fault("the list has a gap here: put json.null where nothing belongs"))
		}
		if err := e.value(v, items); err != nil {
			return under("["+strconv.Itoa(i)+"]", err)
		}
	}
	if n > 0 {
		e.line(-1)
	}
	e.dst = append(e.dst, ']')
	return nil
}

func (e *encoder) object(t *lua.LTable, k, v lua.LValue, shape *Shape) *EncodeError {
	e.dst = append(e.dst, '{')
	for first := true; k != lua.LNil; k, v = t.Next(k) {
		name, ok := k.(lua.LString)
		if !ok {
			return fault("the table has a key that is no string: " + keyText(k))
		}
		if !first {
			e.dst = append(e.dst, ',')
		}
		first = false
		e.line(0)
		if len(name) > e.end-len(e.dst) {
			return e.tooLarge()
		}
		e.dst = protocol.AppendString(e.dst, string(name))
		e.dst = append(e.dst, ':')
		if e.o.Indent != "" {
			e.dst = append(e.dst, ' ')
		}
		if err := e.value(v, shape.member(string(name))); err != nil {
			return under(member(string(name)), err)
		}
	}
	e.line(-1)
	e.dst = append(e.dst, '}')
	return nil
}

// line begins a new line when the JSON is for people, at the depth of the open tables and change.
func (e *encoder) line(change int) {
	if e.o.Indent == "" {
		return
	}
	e.dst = append(e.dst, '\n')
	for range e.depth + change {
		e.dst = append(e.dst, e.o.Indent...)
	}
}

// under puts a step in front of an error's path.
func under(step string, err *EncodeError) *EncodeError {
	const most = 400 // of a path in a message
	switch {
	case len(err.Path) < most:
		err.Path = step + err.Path
	case err.Path[0] == '.' || err.Path[0] == '[':
		err.Path = "…" + err.Path
	}
	return err
}

// member writes a key as a step of a path.
func member(name string) string {
	for i, c := range []byte(name) {
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || !isDigit(c)) {
			return string(append(protocol.AppendString([]byte{'['}, cut(name)), ']'))
		}
	}
	if name == "" {
		return `[""]`
	}
	return "." + cut(name)
}

// number returns n as a Lua value, without making one when it is small.
func number(n int) lua.LValue {
	if n < len(small) {
		return small[n]
	}
	return lua.LNumber(n)
}

// AppendNumber writes a finite number as encoding/json does: integers below 1e21 without point and exponent.
func AppendNumber(dst []byte, f float64) []byte {
	if n := int64(f); float64(n) == f && n > -1e15 && n < 1e15 && (n != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(dst, n, 10)
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if n := len(dst); format == 'e' && n >= 4 && dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' {
		dst[n-2] = dst[n-1] // e-09 is written e-9
		dst = dst[:n-1]
	}
	return dst
}
