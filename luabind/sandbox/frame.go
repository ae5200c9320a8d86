package sandbox

import (
	"reflect"

	lua "github.com/yuin/gopher-lua"
)

// A frame's program counter is hidden in lua.Debug. It is needed twice: to see whether a yield would cross a call that the VM made from Go
// (a metamethod, an iterator), which breaks the thread, and to hand a resumed coroutine as many values as it waits for.
var debugFrame, framePc = func() (int, int) {
	f, ok := reflect.TypeFor[lua.Debug]().FieldByName("frame")
	if !ok || f.Type.Kind() != reflect.Pointer {
		panic("sandbox: gopher-lua's Debug has no longer a frame")
	}
	pc, ok := f.Type.Elem().FieldByName("Pc")
	if !ok || pc.Type.Kind() != reflect.Int {
		panic("sandbox: gopher-lua's frames have no longer a Pc")
	}
	return f.Index[0], pc.Index[0]
}()

// instruction returns what the Lua function at a level of L runs; ok is false for Go functions and beyond the stack.
func instruction(L *lua.LState, level int) (inst uint32, isGo, ok bool) {
	dbg, ok := L.GetStack(level)
	if !ok {
		return 0, false, false
	}
	value, err := L.GetInfo("f", dbg, lua.LNil)
	fn, isFn := value.(*lua.LFunction)
	if err != nil || !isFn {
		return 0, false, false
	}
	if fn.IsG {
		return 0, true, true
	}
	pc := int(reflect.ValueOf(dbg).Elem().Field(debugFrame).Elem().Field(framePc).Int())
	if pc < 1 || pc > len(fn.Proto.Code) {
		return 0, false, false
	}
	return fn.Proto.Code[pc-1], false, true
}

func opcode(inst uint32) int { return int(inst >> opBits) }

// wanted returns how many results the call instruction wants; -1 for all there are.
func wanted(inst uint32) int { return int(inst>>9&0x1ff) - 1 }
