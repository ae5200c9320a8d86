package sandbox

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

var tableModule = &Module{
	Name: "table",
	Funcs: map[string]lua.LGFunction{
		"concat": tableConcat, "getn": tableGetn, "insert": tableInsert, "maxn": tableMaxn, "remove": tableRemove, "sort": tableSort,
		"unpack": baseUnpack,
	},
}

func tableGetn(L *lua.LState) int {
	L.Push(lua.LNumber(readTable(L, 1).Len()))
	return 1
}

// tableMaxn looks at every key. The original looks at the array alone.
func tableMaxn(L *lua.LState) int {
	t := readTable(L, 1)
	most, n := 0.0, 0
	t.ForEach(func(k, _ lua.LValue) {
		if k, ok := k.(lua.LNumber); ok {
			most = max(most, float64(k))
		}
		n++
	})
	CallOf(L).spend(L, n>>2)
	L.Push(lua.LNumber(most))
	return 1
}

// tableInsert refuses positions below 1 and lists that are full. The original takes no position for an error.
func tableInsert(L *lua.LState) int {
	t := checkTable(L, 1)
	n := t.Len()
	if n+1 >= lua.MaxArrayIndex {
		raiseLimit(L, fmt.Sprintf("a list of more than %d items", lua.MaxArrayIndex-1))
	}
	switch L.GetTop() {
	case 2:
		t.RawSetInt(n+1, L.Get(2))
	case 3:
		pos := checkInt(L, 2)
		switch {
		case pos < 1:
			argError(L, 2, "position out of bounds")
		case pos > n:
			t.RawSet(lua.LNumber(pos), L.Get(3))
		default:
			CallOf(L).spend(L, (n-pos)>>5+1)
			trimArray(t, n)
			t.Insert(pos, L.Get(3))
		}
	default:
		L.RaiseError("wrong number of arguments to 'insert'")
	}
	return 0
}

// trimArray drops the nils behind the n-th value of an array, so that Insert does not move them along.
func trimArray(t *lua.LTable, n int) {
	for over := arrayLen(t) - n; over > 0; over-- {
		t.Remove(-1)
	}
}

func arrayLen(t *lua.LTable) int { return reflect.ValueOf(t).Elem().Field(arrayField).Len() }

// tableRemove removes nothing at a position outside the list, as Lua does; the original removes the last item.
func tableRemove(L *lua.LState) int {
	t := checkTable(L, 1)
	n := t.Len()
	pos := optInt(L, 2, n)
	if pos < 1 || pos > n {
		return 0
	}
	CallOf(L).spend(L, (n-pos)>>5+1)
	trimArray(t, n)
	L.Push(t.Remove(pos))
	return 1
}

// tableConcat is bounded. The original pushes every item and every separator on the Lua stack.
func tableConcat(L *lua.LState) int {
	t := readTable(L, 1)
	sep := optString(L, 2, "")
	from, to := optInt(L, 3, 1), 0
	if L.Get(4) == lua.LNil {
		to = t.Len()
	} else {
		to = checkInt(L, 4)
	}
	if from > to {
		L.Push(lua.LString(""))
		return 1
	}
	c := CallOf(L)
	var b strings.Builder
	var num [32]byte
	for i := from; ; i++ {
		switch v := t.RawGet(lua.LNumber(i)).(type) {
		case lua.LString:
			b.WriteString(string(v))
		case lua.LNumber:
			b.Write(appendNumber(num[:0], float64(v)))
		default:
			L.RaiseError("invalid value (%s) at index %d in table for 'concat'", typeName(v), i)
		}
		if i == to || b.Len() > c.limits.StringBytes {
			break
		}
		b.WriteString(sep)
	}
	c.ChargeString(L, b.Len())
	L.Push(lua.LString(b.String()))
	return 1
}

// tableSort sorts a copy and writes it back: the original sorts the array under the feet of a comparator that changes it. An order that
// contradicts itself gives some order. A comparator may not yield.
func tableSort(L *lua.LState) int {
	t := checkTable(L, 1)
	n := t.Len()
	var less *lua.LFunction
	if L.Get(2) != lua.LNil {
		less = checkFunction(L, 2)
	}
	c := CallOf(L)
	c.Charge(L, 16*n)
	values := make([]lua.LValue, n)
	for i := range values {
		values[i] = t.RawGet(lua.LNumber(i + 1))
	}
	sort.Sort(&sorter{L, c, less, values})
	for i, v := range values {
		t.RawSet(lua.LNumber(i+1), v)
	}
	return 0
}

type sorter struct {
	L      *lua.LState
	c      *Call
	less   *lua.LFunction
	values []lua.LValue
}

func (s *sorter) Len() int      { return len(s.values) }
func (s *sorter) Swap(i, j int) { s.values[i], s.values[j] = s.values[j], s.values[i] }

func (s *sorter) Less(i, j int) bool {
	a, b := s.values[i], s.values[j]
	if s.less == nil {
		return s.plainLess(a, b)
	}
	L := s.L
	L.Push(s.less)
	L.Push(a)
	L.Push(b)
	L.Call(2, 1)
	v := lua.LVAsBool(L.Get(-1))
	L.Pop(1)
	return v
}

func (s *sorter) plainLess(a, b lua.LValue) bool {
	s.c.spend(s.L, 1)
	switch x := a.(type) {
	case lua.LNumber:
		if y, ok := b.(lua.LNumber); ok {
			return x < y
		}
	case lua.LString:
		if y, ok := b.(lua.LString); ok {
			s.c.spend(s.L, min(len(x), len(y))>>6)
			return x < y
		}
	}
	return s.L.LessThan(a, b)
}
