package scripts

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/luabind/sandbox"
)

// Limits is what an operator lets tools use: limits in luatools.lua, --limit on the command line. A zero field means its default.
type Limits struct {
	Wall       time.Duration // of a call: what a file may ask for as its timeout, 15 min
	Steps      int64         // VM instructions of a call, 2e9
	Bytes      int64         // charged to a call by library functions, .., arguments and results, 64 MiB
	String     int64         // bytes of one string, 16 MiB
	Heap       int64         // bytes of live heap of the whole process while calls run, 200 MiB
	Result     int64         // bytes of a result, and what a file may ask for as its max_result, 4 MiB
	Source     int64         // bytes of a file, 256 KiB
	Calls      int64         // in flight, 64
	Queue      int64         // calls that wait for others to end, 1,024
	Coroutines int64         // of a call, not yet finished, 2,000
	Depth      int64         // nesting of JSON, 100
}

// DefaultWall is the longest timeout that a file gets unless the operator says otherwise.
const DefaultWall = 15 * time.Minute

// limit is one field of Limits by its name.
type limit struct {
	name           string
	read           func(lua.LValue) (int64, error)
	standard, most int64
	why            string // there is a most
	field          func(*Limits) *int64
}

// limitTable in the order of help texts.
var limitTable = []limit{
	{"wall", wall, int64(DefaultWall), 1 << 62, "", func(l *Limits) *int64 { return (*int64)(&l.Wall) }},
	{"steps", count, sandbox.DefaultSteps, 1 << 53, "", func(l *Limits) *int64 { return &l.Steps }},
	{"bytes", size, sandbox.DefaultBytes, maxSize, "", func(l *Limits) *int64 { return &l.Bytes }},
	{"string", size, sandbox.DefaultStringBytes, 1 << 30, "", func(l *Limits) *int64 { return &l.String }},
	{"heap", size, sandbox.DefaultHeap, maxSize, "", func(l *Limits) *int64 { return &l.Heap }},
	{"result", size, luabind.DefaultMaxResult, 1 << 30, "", func(l *Limits) *int64 { return &l.Result }},
	{"source", size, maxSource, maxSource, "the compiler is proven with no more", func(l *Limits) *int64 { return &l.Source }},
	{"calls", count, 64, 1 << 20, "", func(l *Limits) *int64 { return &l.Calls }},
	{"queue", count, 1024, 1 << 20, "", func(l *Limits) *int64 { return &l.Queue }},
	{"coroutines", count, sandbox.DefaultCoroutines, 1 << 20, "", func(l *Limits) *int64 { return &l.Coroutines }},
	{"depth", count, sandbox.DefaultDepth, sandbox.DefaultDepth, "arguments are judged with no more", func(l *Limits) *int64 { return &l.Depth }},
}

// LimitNames are the names that Set knows.
func LimitNames() (names []string) {
	for _, d := range limitTable {
		names = append(names, d.name)
	}
	return names
}

func wall(v lua.LValue) (int64, error) {
	d, err := duration(v)
	return int64(d), err
}

// Set sets a limit by its name to what a person wrote: a time ("15m", or seconds), a size ("128MiB", or bytes), or a number.
func (l *Limits) Set(name, value string) error {
	v := lua.LValue(lua.LString(value))
	if f, err := strconv.ParseFloat(value, 64); err == nil {
		v = lua.LNumber(f)
	}
	return l.set(name, v)
}

func (l *Limits) set(name string, v lua.LValue) error {
	for i := range limitTable {
		d := &limitTable[i]
		if d.name != name {
			continue
		}
		n, err := d.read(v)
		if err != nil {
			return err
		}
		if n > d.most {
			why := ""
			if d.why != "" {
				why = ": " + d.why
			}
			return fmt.Errorf("%s is too much, it may be %s at most%s", shown(v), d.text(d.most), why)
		}
		*d.field(l) = n
		return nil
	}
	return errors.New("unknown" + suggestion(name, LimitNames()))
}

// text writes a value of the limit for people.
func (d *limit) text(n int64) string {
	switch d.name {
	case "wall":
		return time.Duration(n).String()
	case "bytes", "string", "heap", "result", "source":
		return sizeText(n)
	}
	return strconv.FormatInt(n, 10)
}

// sizeText writes a size in the largest unit that divides it.
func sizeText(n int64) string {
	for _, u := range []struct {
		shift int
		name  string
	}{{30, "GiB"}, {20, "MiB"}, {10, "KiB"}} {
		if n>>u.shift > 0 && n%(1<<u.shift) == 0 {
			return fmt.Sprintf("%d %s", n>>u.shift, u.name)
		}
	}
	return strconv.FormatInt(n, 10)
}

// Or returns l, with the fields of o where l has zero.
func (l Limits) Or(o Limits) Limits {
	for _, d := range limitTable {
		*d.field(&l) = cmp.Or(*d.field(&l), *d.field(&o))
	}
	return l
}

// WithDefaults returns l with defaults where it has zero.
func (l Limits) WithDefaults() Limits {
	var o Limits
	for _, d := range limitTable {
		*d.field(&o) = d.standard
	}
	return l.Or(o)
}

// Tighten takes back what is above its default, and returns the names of that.
func (l *Limits) Tighten() (names []string) {
	for _, d := range limitTable {
		if f := d.field(l); *f > d.standard {
			*f = 0
			names = append(names, d.name)
		}
	}
	return names
}

// Call is the part of the limits that bounds one run of Lua code; Wall is not among it, for that is a ceiling.
func (l Limits) Call() sandbox.Limits {
	return sandbox.Limits{Steps: l.Steps, Bytes: l.Bytes, StringBytes: int(l.String), Heap: l.Heap, Coroutines: int(l.Coroutines), Depth: int(l.Depth)}
}

// count reads a whole number above 0.
func count(v lua.LValue) (int64, error) {
	n, ok := v.(lua.LNumber)
	if !ok || n < 1 || n > 1<<53 || n != lua.LNumber(int64(n)) {
		return 0, fmt.Errorf("want a whole number above 0, got %s", shown(v))
	}
	return int64(n), nil
}

// size reads a number of bytes, or "64 MiB".
func size(v lua.LValue) (int64, error) {
	s, ok := v.(lua.LString)
	if !ok {
		n, err := count(v)
		if err != nil || n > maxSize {
			return 0, fmt.Errorf(`want a size such as "64 MiB", or bytes, got %s`, shown(v))
		}
		return n, nil
	}
	number := strings.TrimRight(string(s), "KMGiB ")
	n, err := strconv.ParseInt(number, 10, 64)
	shift, known := map[string]int{"": 0, "B": 0, "KiB": 10, "MiB": 20, "GiB": 30}[strings.TrimSpace(string(s)[len(number):])]
	if err != nil || !known || n < 1 || n > maxSize>>shift {
		return 0, fmt.Errorf(`want a size such as "64 MiB", or bytes, got %s`, shown(v))
	}
	return n << shift, nil
}

// maxSize is the largest size that is taken for meant: 1 TiB.
const maxSize = 1 << 40

func shown(v lua.LValue) string {
	if n, ok := v.(lua.LNumber); ok {
		return n.String()
	}
	return kindOf(v)
}
