package sandbox

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

var baseModule = &Module{
	Funcs: map[string]lua.LGFunction{
		"assert":       baseAssert,
		"error":        baseError,
		"getmetatable": baseGetMetatable,
		"ipairs":       baseIpairs,
		"next":         baseNext,
		"pairs":        basePairs,
		"pcall":        basePCall,
		"rawequal":     baseRawEqual,
		"rawget":       baseRawGet,
		"rawset":       baseRawSet,
		"require":      baseRequire,
		"select":       baseSelect,
		"setmetatable": baseSetMetatable,
		"tonumber":     baseToNumber,
		"tostring":     baseToString,
		"type":         baseType,
		"unpack":       baseUnpack,
		"xpcall":       baseXPCall,
		concatName:     join2,
	},
	Values: map[string]lua.LValue{"_VERSION": lua.LString("Lua 5.1")},
}

// standard are the libraries that every environment has.
var standard = []*Module{baseModule, stringModule, tableModule, mathModule, coroutineModule, osModule}

func baseType(L *lua.LState) int {
	L.Push(lua.LString(typeName(checkAny(L, 1))))
	return 1
}

// baseGetMetatable shows the metatables of tables alone: those of strings and userdata are shared by all states.
func baseGetMetatable(L *lua.LState) int {
	v := checkAny(L, 1)
	mt := L.GetMetatable(v)
	if _, shared := mt.(*lua.LTable); shared && v.Type() != lua.LTTable {
		mt = lua.LString(lockedText)
	}
	L.Push(mt)
	return 1
}

const lockedText = "the metatable is locked"

// baseSetMetatable takes tables alone. The original replaces the metatable of every string and function of the state.
func baseSetMetatable(L *lua.LState) int {
	t := checkTable(L, 1)
	if L.GetTop() < 2 {
		typeError(L, 2, "nil or table")
	}
	mt := L.Get(2)
	switch mt.(type) {
	case *lua.LNilType, *lua.LTable:
	default:
		typeError(L, 2, "nil or table")
	}
	if old, ok := t.Metatable.(*lua.LTable); ok && old.RawGetString("__metatable") != lua.LNil {
		L.RaiseError("cannot change a protected metatable")
	}
	t.Metatable = mt
	L.SetTop(1)
	return 1
}

func baseRawEqual(L *lua.LState) int {
	L.Push(lua.LBool(checkAny(L, 1) == checkAny(L, 2)))
	return 1
}

func baseRawGet(L *lua.LState) int {
	L.Push(readTable(L, 1).RawGet(checkAny(L, 2)))
	return 1
}

func baseRawSet(L *lua.LState) int {
	L.RawSet(checkTable(L, 1), checkAny(L, 2), checkAny(L, 3))
	L.SetTop(1)
	return 1
}

func baseNext(L *lua.LState) int {
	t := readTable(L, 1)
	key := L.Get(2)
	next, value := t.Next(key)
	if next == lua.LNil {
		L.Push(lua.LNil)
		chargeNext(L, t, key, next)
		return 1
	}
	L.Push(next)
	L.Push(value)
	chargeNext(L, t, key, next)
	return 2
}

// What Next walks over unseen: nils in the array, and keys that were removed, which stay in the list of keys for ever.
var arrayField, dictField, strdictField, keysField = tableField("array"), tableField("dict"), tableField("strdict"), tableField("keys")

func tableField(name string) int {
	f, ok := reflect.TypeFor[lua.LTable]().FieldByName(name)
	if !ok || f.Type.Kind() != reflect.Slice && f.Type.Kind() != reflect.Map {
		panic("sandbox: gopher-lua's LTable has no longer a list or map " + name)
	}
	return f.Index[0]
}

// chargeNext counts the work of a step from key to next. The original can be made to look at a million removed keys a step.
func chargeNext(L *lua.LState, t *lua.LTable, key, next lua.LValue) {
	from, numeric := key.(lua.LNumber)
	if key == lua.LNil {
		from, numeric = 0, true
	}
	if to, ok := next.(lua.LNumber); ok && numeric && to-from == 1 {
		return
	}
	v := reflect.ValueOf(t).Elem()
	holes := 0
	if live := v.Field(dictField).Len() + v.Field(strdictField).Len(); live > 0 {
		holes = v.Field(keysField).Len() - live
	}
	if numeric {
		holes += v.Field(arrayField).Len() - int(max(0, min(from, 1<<20)))
	}
	if holes > 8 {
		CallOf(L).spend(L, holes>>3)
	}
}

// basePairs hands out next itself, as Lua does.
func basePairs(L *lua.LState) int {
	readTable(L, 1)
	t := L.Get(1)
	L.Push(sharedNext)
	L.Push(t)
	L.Push(lua.LNil)
	return 3
}

func baseIpairs(L *lua.LState) int {
	readTable(L, 1)
	t := L.Get(1)
	L.Push(sharedIpairsStep)
	L.Push(t)
	L.Push(lua.LNumber(0))
	return 3
}

// The iterators of pairs and ipairs, shared by all states: nobody can write a function.
var sharedNext, sharedIpairsStep *lua.LFunction

func init() {
	sharedNext = &lua.LFunction{IsG: true, GFunction: baseNext}
	sharedIpairsStep = &lua.LFunction{IsG: true, GFunction: ipairsStep}
}

func ipairsStep(L *lua.LState) int {
	t := readTable(L, 1)
	i := checkInt(L, 2) + 1
	v := t.RawGet(lua.LNumber(i))
	if v == lua.LNil {
		L.Push(lua.LNil)
		return 1
	}
	L.Push(lua.LNumber(i))
	L.Push(v)
	return 2
}

func baseSelect(L *lua.LState) int {
	if s, ok := L.Get(1).(lua.LString); ok && s == "#" {
		L.Push(lua.LNumber(L.GetTop() - 1))
		return 1
	}
	n, top := checkInt(L, 1), L.GetTop()
	switch {
	case n < 0:
		n = top + n
	case n > top:
		n = top
	}
	if n < 1 {
		argError(L, 1, "index out of range")
	}
	return top - n
}

// baseUnpack is bounded. The original pushes what the arguments ask for.
func baseUnpack(L *lua.LState) int {
	t := readTable(L, 1)
	from, to := optInt(L, 2, 1), 0
	if L.Get(3) == lua.LNil {
		to = t.Len()
	} else {
		to = checkInt(L, 3)
	}
	if from > to {
		return 0
	}
	if uint64(to)-uint64(from) >= maxUnpack {
		L.RaiseError("too many results to unpack (at most %d)", maxUnpack)
	}
	CallOf(L).spend(L, (to-from)>>2)
	for i := from; ; i++ {
		L.Push(t.RawGet(lua.LNumber(i)))
		if i == to {
			return to - from + 1
		}
	}
}

// rounded is the nearest number to a value of Go that offers one, such as an integer beyond 2^53. Only tonumber asks for it: what rounds
// must be asked for.
func rounded(v lua.LValue) (float64, bool) {
	ud, ok := v.(*lua.LUserData)
	if !ok {
		return 0, false
	}
	n, ok := ud.Value.(interface{ LuaNumber() float64 })
	if !ok {
		return 0, false
	}
	return n.LuaNumber(), true
}

// baseToNumber reads what Lua reads. The original takes octal, "inf", "1_000" and cuts hexadecimals to 63 bits.
func baseToNumber(L *lua.LState) int {
	value := checkAny(L, 1)
	if text, ok := value.(lua.LString); ok && len(text) > 64 {
		CallOf(L).spend(L, len(text)>>3)
	}
	base := optInt(L, 2, 10)
	if base == 10 {
		if v, ok := numberOf(value); ok {
			L.Push(lua.LNumber(v))
		} else if v, ok := rounded(value); ok {
			L.Push(lua.LNumber(v))
		} else {
			L.Push(lua.LNil)
		}
		return 1
	}
	if base < 2 || base > 36 {
		argError(L, 2, "base out of range")
	}
	text := strings.Trim(checkString(L, 1), whitespace)
	negative := strings.HasPrefix(text, "-")
	text = strings.TrimPrefix(text, "-")
	if base == 16 && len(text) > 2 && (text[:2] == "0x" || text[:2] == "0X") {
		text = text[2:]
	}
	v, ok := parseBase(text, base)
	if !ok {
		L.Push(lua.LNil)
		return 1
	}
	if negative {
		v = -v
	}
	L.Push(lua.LNumber(v))
	return 1
}

// baseToString calls __tostring, and refuses what is no string from it, as Lua does. The original hands on anything.
func baseToString(L *lua.LState) int {
	v := checkAny(L, 1)
	if fn, ok := L.GetMetaField(v, "__tostring").(*lua.LFunction); ok {
		L.Push(fn)
		L.Push(v)
		L.Call(1, 1)
		if _, ok := textOf(L.Get(-1)); !ok {
			L.RaiseError("'tostring' must return a string to 'tostring'")
		}
		return 1
	}
	L.Push(lua.LString(plainString(v)))
	return 1
}

// plainString writes a value without calling a metamethod.
func plainString(v lua.LValue) string {
	switch v := v.(type) {
	case lua.LString:
		return string(v)
	case lua.LNumber:
		return numberText(v)
	case *lua.LUserData:
		if lib, ok := v.Value.(*library); ok {
			return "table: " + lib.name
		}
		return fmt.Sprintf("%s: %p", typeName(v), v)
	}
	return v.String()
}

// ToString writes a value as tostring does, for Go functions such as print; it may call __tostring.
func ToString(L *lua.LState, v lua.LValue) string {
	if fn, ok := L.GetMetaField(v, "__tostring").(*lua.LFunction); ok {
		L.Push(fn)
		L.Push(v)
		L.Call(1, 1)
		v = L.Get(-1)
		L.Pop(1)
	}
	return plainString(v)
}

// join2 is "..": its operands are the arguments. The original joins without looking at the length, and charges nobody.
func join2(L *lua.LState) int {
	n, total := L.GetTop(), 0
	for i := 1; i <= n; i++ {
		switch v := L.Get(i).(type) {
		case lua.LString:
			total += len(v)
		case lua.LNumber:
			total += 8
		default:
			return joinMeta(L, n)
		}
	}
	CallOf(L).ChargeString(L, total)
	L.Push(lua.LString(joinRange(L, 1, n, total)))
	return 1
}

func joinRange(L *lua.LState, from, to, size int) string {
	if from+1 == to {
		if a, ok := L.Get(from).(lua.LString); ok {
			if b, ok := L.Get(to).(lua.LString); ok {
				return string(a + b)
			}
		}
	}
	var b strings.Builder
	b.Grow(size)
	var num [32]byte
	for i := from; i <= to; i++ {
		switch v := L.Get(i).(type) {
		case lua.LString:
			b.WriteString(string(v))
		case lua.LNumber:
			b.Write(appendNumber(num[:0], float64(v)))
		}
	}
	return b.String()
}

// joinMeta joins from the right, operand by operand, because one of them may have a metamethod.
func joinMeta(L *lua.LState, n int) int {
	acc := L.Get(n)
	for i := n - 1; i >= 1; i-- {
		left := L.Get(i)
		a, ok1 := textOf(left)
		b, ok2 := textOf(acc)
		if ok1 && ok2 {
			CallOf(L).ChargeString(L, len(a)+len(b))
			acc = lua.LString(a + b)
			continue
		}
		fn := L.GetMetaField(left, "__concat")
		if fn == lua.LNil {
			fn = L.GetMetaField(acc, "__concat")
		}
		if fn == lua.LNil {
			bad := left
			if ok1 {
				bad = acc
			}
			L.RaiseError("attempt to concatenate a %s value", typeName(bad))
		}
		L.Push(fn)
		L.Push(left)
		L.Push(acc)
		L.Call(2, 1)
		acc = L.Get(-1)
		L.Pop(1)
	}
	L.Push(acc)
	return 1
}

// baseRequire finds a module through State.Require, once a state. Its top level runs as while a file loads, whoever asks for it first.
func baseRequire(L *lua.LState) int {
	name := checkString(L, 1)
	if len(name) > maxModuleName { // the texts of errors hold the name, and nobody charges them
		L.RaiseError("there is no module '%s'", keyText(lua.LString(name)))
	}
	c := CallOf(L)
	s := c.state
	if v, ok := s.loaded[name]; ok {
		L.Push(v)
		return 1
	}
	for _, open := range s.loading {
		if open == name {
			L.RaiseError("require %q leads back to itself: %s", name, strings.Join(append(s.loading, name), " → "))
		}
	}
	if s.Require == nil {
		L.RaiseError("there is no module %q", name)
	}
	proto, err := s.Require(name)
	if err != nil {
		L.RaiseError("%s", cut(err.Error()))
	}
	v := s.runModule(L, name, proto)
	if s.loaded == nil {
		s.loaded = map[string]lua.LValue{}
	}
	s.loaded[name] = v
	L.Push(v)
	return 1
}

const maxModuleName = 300 // bytes

func (s *State) runModule(L *lua.LState, name string, proto *lua.FunctionProto) lua.LValue {
	c := &s.call
	mode, open := c.Mode, len(s.loading)
	s.loading = append(s.loading, name)
	if mode != Loading {
		c.Mode = Lean
	}
	defer func() { c.Mode, s.loading = mode, s.loading[:open] }()
	L.Push(s.function(proto))
	L.Push(lua.LString(name))
	L.Call(1, 1)
	v := L.Get(-1)
	L.Pop(1)
	if v == lua.LNil {
		v = lua.LTrue
	}
	return v
}

func finite(v float64) bool { return !math.IsInf(v, 0) && !math.IsNaN(v) }
