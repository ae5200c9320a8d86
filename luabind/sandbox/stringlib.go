package sandbox

import (
	"strings"

	lua "github.com/yuin/gopher-lua"
)

var stringModule = &Module{
	Name: "string",
	Funcs: map[string]lua.LGFunction{
		"byte": strByte, "char": strChar, "find": strFind, "format": strFormat, "gmatch": strGmatch, "gsub": strGsub, "len": strLen,
		"lower": strLower, "match": strMatch, "rep": strRep, "reverse": strReverse, "sub": strSub, "upper": strUpper,
	},
}

// fromStart turns a position that may count from the end into one from the start; it stays below 1 when it is before the string.
func fromStart(pos, length int) int {
	if pos >= 0 {
		return pos
	}
	if pos < -length {
		return 0
	}
	return length + pos + 1
}

func strLen(L *lua.LState) int {
	L.Push(lua.LNumber(len(checkString(L, 1))))
	return 1
}

func strSub(L *lua.LState) int {
	s := checkString(L, 1)
	from := max(fromStart(checkInt(L, 2), len(s)), 1)
	to := min(fromStart(optInt(L, 3, -1), len(s)), len(s))
	if from > to {
		L.Push(lua.LString(""))
	} else {
		L.Push(lua.LString(s[from-1 : to]))
	}
	return 1
}

func strByte(L *lua.LState) int {
	s := checkString(L, 1)
	from := fromStart(optInt(L, 2, 1), len(s))
	to := min(fromStart(optInt(L, 3, from), len(s)), len(s))
	from = max(from, 1)
	if from > to {
		return 0
	}
	if to-from >= maxUnpack {
		L.RaiseError("string slice too long (at most %d bytes)", maxUnpack)
	}
	for i := from; i <= to; i++ {
		L.Push(lua.LNumber(s[i-1]))
	}
	return to - from + 1
}

func strChar(L *lua.LState) int {
	n := L.GetTop()
	b := make([]byte, n)
	for i := range n {
		v := checkInt(L, i+1)
		if v < 0 || v > 255 {
			argError(L, i+1, "invalid value")
		}
		b[i] = byte(v)
	}
	CallOf(L).ChargeString(L, n)
	L.Push(lua.LString(b))
	return 1
}

// strRep looks at the length first. The original panics or takes all memory.
func strRep(L *lua.LState) int {
	s, n, sep := checkString(L, 1), checkInt(L, 2), optString(L, 3, "")
	if n <= 0 || len(s)+len(sep) == 0 {
		L.Push(lua.LString(""))
		return 1
	}
	c := CallOf(L)
	size := len(s) + len(sep)
	if n > c.limits.StringBytes/size+1 {
		c.ChargeString(L, c.limits.StringBytes+1)
	}
	c.ChargeString(L, n*size-len(sep))
	if sep == "" {
		L.Push(lua.LString(strings.Repeat(s, n)))
	} else {
		L.Push(lua.LString(strings.Repeat(s+sep, n-1) + s))
	}
	return 1
}

// The originals of upper and lower change letters beyond ASCII, and with them the length.

func strUpper(L *lua.LState) int {
	return mapBytes(L, func(c byte) byte {
		if c >= 'a' && c <= 'z' {
			return c - 0x20
		}
		return c
	})
}

func strLower(L *lua.LState) int {
	return mapBytes(L, func(c byte) byte {
		if c >= 'A' && c <= 'Z' {
			return c + 0x20
		}
		return c
	})
}

func mapBytes(L *lua.LState, f func(byte) byte) int {
	s := checkString(L, 1)
	CallOf(L).ChargeString(L, len(s))
	b := []byte(s)
	for i := range b {
		b[i] = f(b[i])
	}
	L.Push(lua.LString(b))
	return 1
}

func strReverse(L *lua.LState) int {
	s := checkString(L, 1)
	CallOf(L).ChargeString(L, len(s))
	b := make([]byte, len(s))
	for i := range len(s) {
		b[len(s)-1-i] = s[i]
	}
	L.Push(lua.LString(b))
	return 1
}
