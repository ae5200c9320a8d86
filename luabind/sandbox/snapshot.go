package sandbox

import (
	"fmt"
	"math"
	"reflect"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// Sealed is implemented by the Value of a userdata whose inside never changes. Sealed returns the Lua values that it holds. A userdata that
// is neither sealed nor a library makes a state that holds one unfit for a second call.
type Sealed interface{ Sealed() []lua.LValue }

const (
	maxSlots         = 100_000 // values that Record notes
	maxReuseRegistry = 4_096   // values on the stack of a state that may serve again: it never shrinks
)

// snapshot is what a loaded state held. Lua code finds only what hangs on the function that is called, its environment, the metatables of
// basic types and its arguments. Arguments are new, environment and metatables are read-only; so when every slot that was reachable
// after the load holds what it held, what is reachable now is what was reachable then.
type snapshot struct {
	taken   bool
	unfit   string // why nothing can be said
	tables  []tableNote
	uppers  []upperNote
	values  []lua.LValue // what the slots held, one note behind the other
	keys    []lua.LValue // keys of the tables, in order
	origins []origin
	loaded  int
}

// origin says how a table was found, for the reason that Unchanged gives.
type origin struct {
	parent int        // index of the origin of what holds it; -1 for a root
	kind   string     // "local", "module", or empty for a key
	name   string     // of a local or module
	key    lua.LValue // of a table; nil for none
}

func (o origin) String() string {
	switch {
	case o.kind != "":
		return o.kind + " `" + o.name + "`"
	case o.key != nil:
		return "`" + keyText(o.key) + "`"
	}
	return ""
}

type tableNote struct {
	table              *lua.LTable
	meta               lua.LValue
	array, dict, str   int // lengths of the parts
	keyList            int // length of the list of keys: it holds removed ones too, so it only grows
	firstValue, nKeys  int
	firstKey, theTable int // theTable: its origin
}

type upperNote struct {
	upvalue *lua.Upvalue
	value   int // index of what it held
	origin  int
}

// Record notes every slot that Lua code can reach from roots and from the modules that were required. It is called once, after the load; from
// then on [State.Unchanged] says whether a call left anything behind.
func (s *State) Record(roots ...lua.LValue) {
	s.snapshot = snapshot{taken: true, loaded: len(s.loaded), values: make([]lua.LValue, 0, 32), origins: make([]origin, 0, 16)}
	w := walker{s: s, snap: &s.snapshot, seen: make(map[any]struct{}, 16)}
	for _, v := range roots {
		w.value(v, w.origin(origin{parent: -1}))
	}
	for name, v := range s.loaded {
		w.value(v, w.origin(origin{parent: -1, kind: "module", name: name}))
	}
	w.drain()
}

// walker walks breadth first, so that deep tables do not need a deep Go stack and reasons name the shortest way.
type walker struct {
	s     *State
	snap  *snapshot
	seen  map[any]struct{}
	queue []found
}

type found struct {
	value  lua.LValue
	origin int
}

func (w *walker) origin(o origin) int {
	w.snap.origins = append(w.snap.origins, o)
	return len(w.snap.origins) - 1
}

func (w *walker) unfit(at int, what string) {
	if w.snap.unfit == "" {
		w.snap.unfit = what
		if path := w.snap.path(at); path != "" {
			w.snap.unfit += " in " + path
		}
	}
}

// value queues what can lead further, once.
func (w *walker) value(v lua.LValue, at int) {
	switch v := v.(type) {
	case *lua.LNilType, lua.LBool, lua.LNumber, lua.LString:
	case *lua.LTable, *lua.LFunction, *lua.LUserData:
		if _, ok := w.seen[v]; !ok {
			w.seen[v] = struct{}{}
			w.queue = append(w.queue, found{v, at})
		}
	case *lua.LState:
		w.unfit(at, "a coroutine")
	default:
		w.unfit(at, "a "+typeName(v))
	}
}

func (w *walker) drain() {
	for i := 0; i < len(w.queue) && w.snap.unfit == ""; i++ {
		f := w.queue[i]
		switch v := f.value.(type) {
		case *lua.LTable:
			w.table(v, f.origin)
		case *lua.LFunction:
			w.function(v, f.origin)
		case *lua.LUserData:
			w.userdata(v, f.origin)
		}
		if len(w.snap.values)+len(w.snap.keys) > maxSlots {
			w.unfit(-1, fmt.Sprintf("more than %d values", maxSlots))
		}
	}
	w.seen, w.queue = nil, nil
	if w.snap.unfit != "" {
		*w.snap = snapshot{taken: true, unfit: w.snap.unfit}
	}
}

func (w *walker) userdata(u *lua.LUserData, at int) {
	if w.s.env.isShared(u) {
		return
	}
	switch v := u.Value.(type) {
	case *library:
	case Sealed:
		for _, inner := range v.Sealed() {
			w.value(inner, at)
		}
	default:
		w.unfit(at, "a "+typeName(u))
	}
}

func (w *walker) function(fn *lua.LFunction, at int) {
	if fn.IsG {
		if !w.s.env.isShared(fn) {
			w.unfit(at, "an iterator or another function that keeps something")
		}
		return
	}
	if fn.Env != w.s.env.empty {
		w.unfit(at, "a function of another environment")
	}
	for i, up := range fn.Upvalues {
		if _, ok := w.seen[up]; ok {
			continue
		}
		w.seen[up] = struct{}{}
		if !up.IsClosed() {
			w.unfit(at, "a local of a coroutine")
			return
		}
		o := w.origin(origin{parent: at, kind: "local", name: fn.Proto.DbgUpvalues[i]})
		w.snap.uppers = append(w.snap.uppers, upperNote{up, len(w.snap.values), o})
		w.snap.values = append(w.snap.values, up.Value())
		w.value(up.Value(), o)
	}
}

func (w *walker) table(t *lua.LTable, at int) {
	n := tableNote{table: t, meta: t.Metatable, firstValue: len(w.snap.values), firstKey: len(w.snap.keys), theTable: at}
	n.array, n.dict, n.str, n.keyList = sizes(t)
	w.value(t.Metatable, at)
	for i := 1; i <= n.array; i++ {
		v := t.RawGetInt(i)
		w.snap.values = append(w.snap.values, v)
		w.follow(v, at, lua.LNumber(i))
	}
	behind := lua.LValue(lua.LNumber(n.array)) // from here on Next walks the keys
	if n.array == 0 {
		behind = lua.LNil // the number 0 would stand for the key 0
	}
	for k, v := t.Next(behind); k != lua.LNil; k, v = t.Next(k) {
		w.snap.keys = append(w.snap.keys, k)
		w.snap.values = append(w.snap.values, v)
		n.nKeys++
		w.follow(k, at, k)
		w.follow(v, at, k)
		if len(w.snap.keys) > maxSlots {
			break
		}
	}
	w.snap.tables = append(w.snap.tables, n)
}

// follow makes an origin only for what leads further.
func (w *walker) follow(v lua.LValue, at int, key lua.LValue) {
	switch v.(type) {
	case *lua.LNilType, lua.LBool, lua.LNumber, lua.LString:
	default:
		w.value(v, w.origin(origin{parent: at, key: key}))
	}
}

func sizes(t *lua.LTable) (array, dict, str, keys int) {
	v := reflect.ValueOf(t).Elem()
	return v.Field(arrayField).Len(), v.Field(dictField).Len(), v.Field(strdictField).Len(), v.Field(keysField).Len()
}

// isShared reports whether v is a function or userdata that belongs to all states.
func (e *Env) isShared(v lua.LValue) bool {
	if _, ok := e.shared[v]; ok {
		return true
	}
	_, ok := e.base.shared[v]
	return ok || v == sharedNext || v == sharedIpairsStep
}

// path names what an origin leads to, such as "local `cache` → `n`".
func (s *snapshot) path(at int) string {
	var labels []string
	for ; at >= 0; at = s.origins[at].parent {
		if l := s.origins[at].String(); l != "" {
			labels = append(labels, l)
		}
	}
	if len(labels) > 6 {
		labels = append(labels[:3], labels[len(labels)-3:]...)
	}
	for i, j := 0, len(labels)-1; i < j; i, j = i+1, j-1 {
		labels[i], labels[j] = labels[j], labels[i]
	}
	return strings.Join(labels, " → ")
}

// Unchanged reports, between calls, whether every slot that Record noted holds what it held and the machine is idle, so that the next call
// sees the state as if it were new. Else the reason names what differs, such as "local `cache` → `n`". After an error the answer is no:
// ask only after a call that returned. It does not allocate when the answer is yes.
func (s *State) Unchanged() (ok bool, reason string) {
	snap := &s.snapshot
	switch {
	case s.dead:
		return false, "the state is dead"
	case !snap.taken:
		return false, "nothing was recorded"
	case snap.unfit != "":
		return false, snap.unfit
	case len(s.loaded) != snap.loaded:
		return false, "a module was required for the first time"
	}
	if why := s.busy(); why != "" {
		return false, why
	}
	for i := range snap.uppers {
		u := &snap.uppers[i]
		if !same(u.upvalue.Value(), snap.values[u.value]) {
			return false, snap.path(u.origin)
		}
	}
	for i := range snap.tables {
		if key := snap.differs(&snap.tables[i]); key != nil {
			return false, snap.reason(&snap.tables[i], key)
		}
	}
	return true, ""
}

// differs returns the first key of a table whose slot differs; LNil when the table itself does.
func (s *snapshot) differs(n *tableNote) lua.LValue {
	array, dict, str, keys := sizes(n.table)
	if array != n.array || dict != n.dict || str != n.str || keys != n.keyList || n.table.Metatable != n.meta {
		return lua.LNil
	}
	values := s.values[n.firstValue:]
	for i := range n.array {
		if !same(n.table.RawGetInt(i+1), values[i]) {
			return lua.LNumber(i + 1)
		}
	}
	values = values[n.array:]
	for i, k := range s.keys[n.firstKey : n.firstKey+n.nKeys] {
		if !same(n.table.RawGetH(k), values[i]) {
			return k
		}
	}
	return nil
}

func (s *snapshot) reason(n *tableNote, key lua.LValue) string {
	path := s.path(n.theTable)
	if path == "" {
		path = "a table"
	}
	if key != lua.LNil {
		path += " → `" + keyText(key) + "`"
	}
	return path
}

// same compares numbers by their bits, because NaN is not equal to itself and 0 is to -0.
func same(a, b lua.LValue) bool {
	if x, ok := a.(lua.LNumber); ok {
		y, ok := b.(lua.LNumber)
		return ok && math.Float64bits(float64(x)) == math.Float64bits(float64(y))
	}
	return a == b
}

// Hidden fields of a Lua thread that tell whether it is idle.
var uvcacheField, frameField, regField, regArrayField = func() (int, int, int, int) {
	t := reflect.TypeFor[lua.LState]()
	uv, ok1 := t.FieldByName("uvcache")
	reg, ok2 := t.FieldByName("reg")
	frame, ok3 := t.FieldByName("currentFrame")
	if !ok1 || !ok2 || !ok3 || uv.Type.Kind() != reflect.Pointer || frame.Type.Kind() != reflect.Pointer || reg.Type.Kind() != reflect.Pointer {
		panic("sandbox: gopher-lua's LState has no longer a uvcache, currentFrame or reg")
	}
	array, ok := reg.Type.Elem().FieldByName("array")
	if !ok || array.Type.Kind() != reflect.Slice {
		panic("sandbox: gopher-lua's registry has no longer an array")
	}
	return uv.Index[0], frame.Index[0], reg.Index[0], array.Index[0]
}()

// busy says why the machine is not as it was before the first call; "" when it is.
func (s *State) busy() string {
	L := s.L
	if L.GetTop() != 0 || L.G.CurrentThread != L || L.G.MainThread != L || L.Parent != nil || L.Dead ||
		L.Env != s.env.empty || L.G.Global != s.env.empty || len(s.loading) > 0 {
		return "the machine is not idle"
	}
	if why := threadBusy(L); why != "" {
		return why
	}
	for _, th := range s.spare {
		if th.GetTop() != 0 || th.Parent != nil || th.Dead {
			return "the machine is not idle"
		}
		if why := threadBusy(th); why != "" {
			return why
		}
	}
	return ""
}

func threadBusy(L *lua.LState) string {
	v := reflect.ValueOf(L).Elem()
	if !v.Field(frameField).IsNil() {
		return "the machine is not idle"
	}
	if !v.Field(uvcacheField).IsNil() {
		return "an open upvalue"
	}
	if stackSize(L) > maxReuseRegistry {
		return "the Lua stack grew"
	}
	return ""
}

// stackSize returns for how many values the stack of a thread has room.
func stackSize(L *lua.LState) int {
	return reflect.ValueOf(L).Elem().Field(regField).Elem().Field(regArrayField).Len()
}
