package attacks

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	lua "github.com/yuin/gopher-lua"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/luabind/sandbox"
	"github.com/luatools/luatools/scripts"
)

// sharedFile uses everything that states share: libraries, closures and tables of its top level, a module, coroutines.
const sharedFile = `local lib = require("lib.shared")
local names = { "a", "b", "c" }
local function upper(s) return s:upper() end
local class = {}
class.__index = class
function class.new(n) return setmetatable({ n = n }, class) end
function class:next() self.n = self.n + 1 return self.n end
return tool{
  description = "Uses everything that is shared.",
  input = { n = "integer", list = "any[]" },
  run = function(args, ctx)
    local out = {}
    for i, name in ipairs(names) do out[i] = upper(name) .. lib.twice(args.n) end
    for name, l in pairs(_G) do
      if type(l) == "table" then
        for k, v in pairs(l) do
          if type(v) == "function" then pcall(rawset, l, k, v) pcall(function() l[k] = v end) end
        end
      end
    end
    local c = class.new(args.n)
    local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(c:next()) end end)
    out[#out + 1] = co() + co() + co()
    out[#out + 1] = ("%d %s %q"):format(args.n, json.encode(args.list), "x")
    out[#out + 1] = ("a b c"):gsub("%a", { a = "1" })
    out[#out + 1] = tostring(pcall(error, { message = "x" })) .. tostring(getmetatable(args.list)) .. os.date("!%Y", 0)
    out[#out + 1] = text.reverse("abc") .. tostring(json.null) .. tostring(json.decode("9007199254740993"))
    print(out)
    return { out = table.concat(out, ","), empty = array{}, object = json.object{} }
  end,
}
`

const sharedModule = `local m = { factor = 2 }
function m.twice(n) return n * m.factor end
return m
`

// TestEightAtOnce calls one tool from eight goroutines, with states used again and with fresh ones. Under the race detector it shows that
// what states share is never written.
func TestEightAtOnce(t *testing.T) {
	for _, noReuse := range []bool{false, true} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "lib"), 0o755); err != nil {
			t.Fatal(err)
		}
		l, err := openLibrary(dir, scripts.Options{NoReuse: noReuse}, map[string]string{"shared.lua": sharedFile, "lib/shared.lua": sharedModule})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		tool := find(l, "shared")
		if tool == nil {
			t.Fatal(problems(l))
		}
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				ctx := scripts.WithCall(context.Background(), &luabind.CallInfo{Log: func(string, string) {}})
				for range 50 {
					res, err := tool.Call(ctx, json.RawMessage(`{"n":7,"list":[1,null,{}]}`))
					if err != nil || !strings.HasPrefix(res.Content[0].Text, `{"out":"A14,B14,C14,27,7 [1,null,{}] `) {
						t.Errorf("%v, %v", res.Content[0].Text, err)
						return
					}
				}
			})
		}
		wg.Wait()
	}
}

// raceVariable makes the test binary write a shared table from eight states.
const raceVariable = "LUATOOLS_ATTACKS_RACE"

// TestTheRaceDetectorSeesAWriter is the control of TestEightAtOnce: what it would look like.
func TestTheRaceDetectorSeesAWriter(t *testing.T) {
	if os.Getenv(raceVariable) != "" {
		writeShared(t)
		return
	}
	if !raceEnabled {
		t.Skip("only the race detector can see it: go test -race")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestTheRaceDetectorSeesAWriter$")
	cmd.Env = append(os.Environ(), raceVariable+"=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "DATA RACE") && !strings.Contains(string(out), "concurrent map") {
		t.Errorf("a table that eight states write was not reported: %v\n%s", err, head(string(out)))
	}
}

func writeShared(t *testing.T) {
	shared := lua.NewState().NewTable()
	env := sandbox.NewEnv([]*sandbox.Module{{Name: "leaky", Funcs: map[string]lua.LGFunction{
		"inner": func(L *lua.LState) int {
			L.Push(shared) // what no function of a library may do
			return 1
		},
	}}})
	chunk, err := sandbox.Parse("x.lua", []byte(`for i = 1, 1000 do leaky.inner()["k" .. i % 7] = i end`))
	if err != nil {
		t.Fatal(err)
	}
	proto, err := sandbox.Compile(chunk, "x.lua")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			s := env.NewState()
			defer s.Close()
			s.Begin(context.Background(), sandbox.Calling, sandbox.Limits{}, nil)
			defer s.End()
			s.Run(proto)
		})
	}
	wg.Wait()
}
