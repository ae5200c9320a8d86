package attacks

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/scripts"
)

// fuzzLimits end a run by steps rather than by time, so that two runs end alike.
var fuzzLimits = sandbox.Limits{Wall: 2 * time.Second, Steps: 20_000, Bytes: 1 << 20, StringBytes: 1 << 18}

// FuzzReuse makes a tool of its input, calls it several times with states that are used again and as often with fresh ones, and wants equal
// answers.
func FuzzReuse(f *testing.F) {
	for seed := range 20 {
		f.Add(uint64(seed), uint64(seed*7919))
	}
	f.Fuzz(func(t *testing.T, a, b uint64) {
		source := generatedTool(rand.New(rand.NewPCG(a, b)))
		var runs [2][]string
		for i, noReuse := range []bool{true, false} {
			l, err := openLibrary(filepath.Join(t.TempDir(), "tools"), scripts.Options{Limits: fuzzLimits, NoReuse: noReuse}, map[string]string{"x.lua": source})
			if err != nil {
				t.Fatal(err)
			}
			tool := find(l, "x")
			if tool == nil {
				t.Fatalf("%s\n%s", problems(l), source)
			}
			for range 4 {
				runs[i] = append(runs[i], answer(tool))
			}
			l.Close()
		}
		for i := range runs[0] {
			if runs[0][i] != runs[1][i] || runs[0][i] != runs[0][0] {
				t.Fatalf("call %d: with fresh states %q (first %q), with states used again %q\n%s", i+1, runs[0][i], runs[0][0], runs[1][i], source)
			}
		}
	})
}

func answer(tool *scripts.Tool) string {
	ctx := scripts.WithCall(context.Background(), &luabind.CallInfo{Log: func(string, string) {}})
	res, err := tool.Call(ctx, json.RawMessage(`{"list":[1,"x",{"k":[]}],"n":3}`))
	if err == nil {
		return res.Content[0].Text
	}
	if o := failed(err, ""); o.Kind != "error" {
		return o.Kind
	}
	return "error " + res.Content[0].Text
}

// generator writes Lua that changes what a state holds in as many ways as it knows.
type generator struct {
	*rand.Rand
	b     strings.Builder
	depth int
}

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

// old are names of the file's top level.
func (g *generator) old() string {
	return g.pick("t", "u", "class", "list", "t.in_t", "list[1]", "keyed")
}

func (g *generator) key() string {
	return g.pick("1", "2", "3", `"a"`, `"b"`, `"in_t"`, "0", "-1", "1.5", "true", "args.n", "n", "2 ^ 20", "#list + 1", "u", `("k"):rep(2)`)
}

func (g *generator) value() string {
	if g.depth++; g.depth > 4 {
		g.depth--
		return "nil"
	}
	defer func() { g.depth-- }()
	switch g.IntN(18) {
	case 0:
		return "nil"
	case 1:
		return g.pick("0", "-0", "1", "1e308 * 10", "-(0 / 0)", "2 ^ 53", "n", "n + 1")
	case 2:
		return g.pick(`"a"`, `""`, "s", `s .. "x"`, "tostring(n)")
	case 3:
		return g.pick("true", "false")
	case 4:
		return g.old()
	case 5:
		return fmt.Sprintf("{ %s, a = %s }", g.value(), g.value())
	case 6:
		return "function(...) n = n + 1 return " + g.value() + " end"
	case 7:
		return "args." + g.pick("list", "n", "list[3]")
	case 8:
		return fmt.Sprintf("setmetatable({}, { __index = %s })", g.old())
	case 9:
		return "count()"
	case 10:
		return "memo(" + g.pick("1", "args.n", "n") + ")"
	case 11:
		return "#" + g.pick("list", "s")
	case 12:
		return "rawget(" + g.pick("t", "u", "list") + ", " + g.key() + ")"
	case 13:
		return g.pick("next(t)", "next(list)", "(pairs(t))", "type(u)")
	case 14:
		return "coroutine.wrap(function(...) coroutine.yield(" + g.value() + ") end)"
	case 15:
		return g.pick("array{}", "json.null", "json.object{}", "json.decode('[1,{}]')", `("a b"):gmatch("%a")`)
	case 16:
		return fmt.Sprintf("select(2, pcall(function() %s error(%s) end))", g.pick("n = n + 1", "t.a = 1", "list[#list + 1] = n", ""), g.value())
	}
	return fmt.Sprintf("(%s == %s)", g.value(), g.value())
}

func (g *generator) statement(in string) {
	if g.depth++; g.depth > 3 {
		g.depth--
		return
	}
	defer func() { g.depth-- }()
	w := func(format string, args ...any) { fmt.Fprintf(&g.b, in+format+"\n", args...) }
	switch g.IntN(17) {
	case 0:
		w("n = %s", g.pick("n + 1", "n", "0", "-n", "args.n"))
	case 1:
		w("s = tostring(%s)", g.pick("n", "s", "args.n", "#list", "type(t)"))
	case 2, 3:
		w("try(function() %s[%s] = %s end)", g.old(), g.key(), g.value())
	case 4:
		w("try(rawset, %s, %s, %s)", g.old(), g.key(), g.value())
	case 5:
		w("try(table.insert, list, %s)", g.value())
	case 6:
		w("try(table.remove, %s)", g.pick("list", "list, 1", "t", "u"))
	case 7:
		w("try(table.sort, list, function(a, b) return tostring(type(a)) < tostring(type(b)) end)")
	case 8:
		w("try(setmetatable, %s, %s)", g.old(), g.pick("nil", "{}", "{ __index = u }", "class", "getmetatable(u)", "{ __newindex = list }"))
	case 9:
		w("try(function() getmetatable(%s).__index = %s end)", g.old(), g.value())
	case 10:
		w("u = %s", g.pick("u", "{ 1 }", "t", "{ u }"))
	case 11:
		w("try(gen)")
	case 12:
		w("try(coroutine.resume, co, %s)", g.value())
	case 13:
		w("add(%s)", g.value())
	case 14:
		w("if %s then", g.value())
		g.statement(in + "  ")
		w("end")
	case 15:
		w("for i = 1, %d do", 1+g.IntN(3))
		g.statement(in + "  ")
		w("end")
	default:
		w("try(function()")
		g.statement(in + "  ")
		g.statement(in + "  ")
		w("end)")
	}
}

func generatedTool(r *rand.Rand) string {
	g := &generator{Rand: r}
	g.b.WriteString(`local n, s = 1, "s"
local t = { 1, 2, a = 1, in_t = { 1 } }
local u = setmetatable({ b = 1 }, { __index = { c = 3 } })
local list = { { 3 }, { 1 }, { 2 } }
local keyed = { [t] = u, [2 ^ 21] = 1 }
local class = { __index = { x = 1 } }
local co = coroutine.create(function(...) while true do coroutine.yield(...) end end)
local function counter() local c = 0 return function() c = c + 1 return c end end
local count = counter()
local gen = ` + g.pick("count", `("a b c"):gmatch("%a")`, "coroutine.wrap(function() for i = 1, 100 do coroutine.yield(i) end end)", "function() return n end") + `
local cache = {}
local function memo(k) k = k or 0 local v = rawget(cache, k) or tostring(k) rawset(cache, k, v) return v end
`)
	if g.IntN(2) == 0 { // what cannot be recorded makes a state unfit; most tools must be fit
		g.b.WriteString("co = nil\n")
	}
	g.b.WriteString(`return tool{
  description = "A generated tool.",
  input = { list = "any[]", n = "integer" },
  run = function(args)
    local out = {}
    local function show(v, deep)
      if type(v) == "table" and deep < 4 then
        local parts = {}
        for k, x in next, v do parts[#parts + 1] = show(k, deep + 1) .. "=" .. show(x, deep + 1) end
        return "{" .. table.concat(parts, ",") .. "}"
      elseif type(v) == "number" or type(v) == "string" or type(v) == "boolean" or v == nil then
        return tostring(v)
      end
      return type(v)
    end
    local function add(v) if #out < 100 then out[#out + 1] = show(v, 0) end end
    local function try(f, ...)
      local ok, v = pcall(f, ...)
      add(ok)
      if ok then add(v) end
    end
`)
	for range 1 + g.IntN(8) {
		g.statement("    ")
	}
	g.b.WriteString(`    add(n) add(s) add(t) add(u) add(list) add(keyed) add(class) add(cache) add(getmetatable(u))
    return table.concat(out, " ")
  end,
}
`)
	return g.b.String()
}

// FuzzToolFile loads any bytes as a tool file and calls what comes of it.
func FuzzToolFile(f *testing.F) {
	for i, a := range corpus(f) { // a part of those that end by themselves: each run of the tests walks over the seeds
		if i%3 == 0 && len(a.Source) < 20_000 && a.Open == "" && !strings.Contains(a.Want, "timeout") && !strings.Contains(a.Want, "limit") {
			f.Add([]byte(a.Source))
		}
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		l, err := openLibrary(t.TempDir(), scripts.Options{Limits: fuzzLimits}, map[string]string{"x.lua": string(source)})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		for _, p := range l.Snapshot().Problems {
			if len(p.Message) > 10_000 || strings.Contains(p.Message, "runtime error") || strings.Contains(p.Message, "did not expect") {
				t.Errorf("problem %.500s", p.Message)
			}
		}
		for _, s := range l.Snapshot().Servers {
			for _, tool := range s.Tools {
				for range 2 {
					var r run
					if o := r.call(tool, "{}"); o.Kind == "crash" || o.Took > fuzzLimits.Wall+10*time.Second {
						t.Errorf("%s: %v", tool.Name, o)
					}
				}
			}
		}
	})
}

// FuzzLua runs generated Lua: the input is cut into words that are looked up among words of Lua.
func FuzzLua(f *testing.F) {
	f.Add([]byte("local a = 1"))
	f.Add([]byte{1, 2, 3, 50, 51, 52, 90, 91, 7, 8, 9})
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 2_000 {
			t.Skip("long inputs say no more than short ones")
		}
		var b strings.Builder
		for _, c := range data {
			b.WriteString(words[int(c)%len(words)])
			b.WriteByte(' ')
		}
		chunk, err := sandbox.Parse("x.lua", []byte(b.String()))
		if err != nil {
			return
		}
		proto, err := sandbox.Compile(chunk, "x.lua")
		if err != nil {
			return
		}
		s := fuzzEnv.NewState()
		defer s.Close()
		s.Begin(context.Background(), sandbox.Calling, fuzzLimits, nil)
		defer s.End()
		if _, err := s.Run(proto); err != nil {
			if fault := err.(*sandbox.Fault); fault.Kind == sandbox.Crashed {
				t.Errorf("%s\n%s\n%s", b.String(), fault.Message, fault.Panic)
			}
		}
	})
}

var fuzzEnv = sandbox.NewEnv(luabind.Modules())

// words are tokens of Lua, and pieces that are likely to fit together.
var words = strings.Fields(`and break do else elseif end false for function if in local nil not or repeat return then true until while goto
	+ - * / % ^ # == ~= <= >= < > = ( ) { } [ ] ; : , . .. ... :: a b c d a b c 1 2 0 1e308 "x" "%a+" "(" 'y'
	local\ta\t= local\tb\t=\t{} function(...) end) end,\t1) a.b a[1] a:b() a( (a) pcall( pcall(function() error( xpcall( setmetatable({},{__index=
	})) coroutine.wrap(function() coroutine.yield( coroutine.create( coroutine.resume( string.rep( ("x"):rep(99) string.gsub( string.find( string.format(
	table.concat( table.sort( table.insert( table.remove( unpack( select('#', next( pairs( ipairs( rawset( rawget( tostring( tonumber( type(
	for\ti=1,9\tdo for\tk,v\tin\tpairs(a)\tdo while\ttrue\tdo if\ta\tthen repeat\tlocal\tx=1 until\tx json.encode( json.decode( text.split( math.floor(
	__index= __newindex= __call= __eq= __lt= __concat= __len= __tostring= __metatable= goto\ta ::a:: return\ta,b`)

func init() {
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, `\t`, " ")
	}
}
