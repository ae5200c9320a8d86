package sandbox

import (
	"fmt"
	"time"

	lua "github.com/yuin/gopher-lua"
)

// Limits bounds one run of Lua code. A zero field means its default.
type Limits struct {
	Wall        time.Duration // default 60 s
	Steps       int64         // VM instructions, and the work of library functions; default 2e9
	Bytes       int64         // charged by library functions, default 64 MiB
	StringBytes int           // one string, default 16 MiB
	Heap        int64         // live heap of the whole process while the code runs, default 200 MiB; see heap.go
	Coroutines  int           // of one state, not yet finished, default 2,000
	Depth       int           // nesting of JSON that the code reads or writes, default 100; for modules, see [Call.Limits]
}

// The defaults of Limits.
const (
	DefaultWall        = 60 * time.Second
	DefaultSteps       = 2_000_000_000
	DefaultBytes       = 64 << 20
	DefaultStringBytes = 16 << 20
	DefaultHeap        = 200 << 20
	DefaultCoroutines  = 2_000
	DefaultDepth       = 100
)

const (
	maxFrames    = 200     // calls inside one another, in one thread
	maxRegistry  = 1 << 16 // values on the stack of one thread
	maxProtected = 100     // pcall and xpcall inside one another
	maxResumes   = 16      // coroutines inside one another
	maxUnpack    = 8_000   // values of one unpack or string.byte, as in Lua
	maxText      = 8_000   // bytes of an error's text
)

func init() {
	// t[67108863] = 1 takes a gigabyte otherwise: an array is filled up to its largest index.
	lua.MaxArrayIndex = 1 << 20
}

func (l Limits) withDefaults() Limits {
	if l.Wall <= 0 {
		l.Wall = DefaultWall
	}
	if l.Steps <= 0 {
		l.Steps = DefaultSteps
	}
	if l.Bytes <= 0 {
		l.Bytes = DefaultBytes
	}
	if l.StringBytes <= 0 {
		l.StringBytes = DefaultStringBytes
	}
	if l.Heap <= 0 {
		l.Heap = DefaultHeap
	}
	if l.Coroutines <= 0 {
		l.Coroutines = DefaultCoroutines
	}
	if l.Depth <= 0 {
		l.Depth = DefaultDepth
	}
	return l
}

// howTo says where a limit is changed: those are the names that the command line and luatools.lua have for it.
func howTo(name string) string {
	return "--limit " + name + "=…, or limits." + name + " in luatools.lua"
}

// sizeText writes a number of bytes for people.
func sizeText(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
