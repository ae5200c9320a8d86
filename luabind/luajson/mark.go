package luajson

import (
	lua "github.com/yuin/gopher-lua"
)

// The marks are metatables without any metamethod. __metatable hides them, else a script could write into a table that all
// states share.
var (
	arrayMark  = mark("array")
	objectMark = mark("object")
)

func mark(name string) *lua.LTable {
	mt := maker.CreateTable(0, 1)
	mt.RawSetString("__metatable", lua.LString(name))
	return mt
}

// MarkArray makes t a list that is [] when it is empty. A metatable that t had is replaced.
func MarkArray(t *lua.LTable) { t.Metatable = arrayMark }

// MarkObject makes t an object that is {} when it is empty. A metatable that t had is replaced.
func MarkObject(t *lua.LTable) { t.Metatable = objectMark }

// Marked reports whether t carries one of the marks, which a script may replace by a metatable of its own.
func Marked(t *lua.LTable) bool { return t.Metatable == arrayMark || t.Metatable == objectMark }
