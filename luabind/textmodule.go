package luabind

import (
	"strings"
	"unicode/utf8"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind/luajson"
)

// textFuncs is the library text; calling text itself builds a block (blocks.go). Positions and lengths count letters (code points),
// not bytes; a byte that is no valid UTF-8 counts as a letter and stays what it is.
var textFuncs = map[string]lua.LGFunction{
	"reverse": textReverse, "len": textLen, "sub": textSub, "split": textSplit, "starts": textStarts, "ends": textEnds,
	"upper": mapText("text.upper", strings.ToUpper), "lower": mapText("text.lower", strings.ToLower), "trim": mapText("text.trim", strings.TrimSpace),
}

func mapText(fn string, f func(string) string) lua.LGFunction {
	return func(L *lua.LState) int {
		s := stringArg(L, fn, 1, "text")
		charge(L, len(s))
		L.Push(lua.LString(f(s)))
		return 1
	}
}

func textReverse(L *lua.LState) int {
	s := stringArg(L, "text.reverse", 1, "text")
	charge(L, len(s))
	out := make([]byte, len(s))
	for i, end := 0, len(s); i < len(s); {
		_, n := utf8.DecodeRuneInString(s[i:])
		end -= n
		copy(out[end:], s[i:i+n])
		i += n
	}
	L.Push(lua.LString(out))
	return 1
}

func textLen(L *lua.LState) int {
	L.Push(lua.LNumber(utf8.RuneCountInString(stringArg(L, "text.len", 1, "text"))))
	return 1
}

// text.sub(s, from[, to]) counts as string.sub does: from 1, and from the end when negative.
func textSub(L *lua.LState) int {
	const fn = "text.sub"
	s := stringArg(L, fn, 1, "text")
	if L.Get(2) == lua.LNil {
		misuse(L, fn, 2, "from", "want a whole number, got nil")
	}
	n := utf8.RuneCountInString(s)
	from, to := integerArg(L, fn, 2, "from", 1), integerArg(L, fn, 3, "to", -1)
	if from < 0 {
		from = max(n+from+1, 1)
	}
	if to < 0 {
		to = n + to + 1
	}
	from, to = max(from, 1), min(to, n)
	if from > to {
		L.Push(lua.LString(""))
		return 1
	}
	start := offset(s, from-1)
	L.Push(lua.LString(s[start : start+offset(s[start:], to-from+1)]))
	return 1
}

// offset returns where letter n of s begins, counted from 0.
func offset(s string, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

// text.split(s, separator) returns the list of what stands between the separators, which are taken literally.
func textSplit(L *lua.LState) int {
	const fn = "text.split"
	s, separator := stringArg(L, fn, 1, "text"), stringArg(L, fn, 2, "separator")
	if separator == "" {
		raise(L, fn+": separator: want at least one letter")
	}
	n := strings.Count(s, separator) + 1
	charge(L, 32*n)
	t := maker.CreateTable(n, 0)
	luajson.MarkArray(t)
	for part := range strings.SplitSeq(s, separator) {
		t.Append(lua.LString(part))
	}
	L.Push(t)
	return 1
}

func textStarts(L *lua.LState) int {
	L.Push(lua.LBool(strings.HasPrefix(stringArg(L, "text.starts", 1, "text"), stringArg(L, "text.starts", 2, "prefix"))))
	return 1
}

func textEnds(L *lua.LState) int {
	L.Push(lua.LBool(strings.HasSuffix(stringArg(L, "text.ends", 1, "text"), stringArg(L, "text.ends", 2, "suffix"))))
	return 1
}
