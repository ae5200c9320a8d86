package attacks

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/luatools/luatools/luabind"
	"github.com/luatools/luatools/scripts"
)

// everyFile tries every function of every library with every library, and with what is inside of them, at every place of its arguments.
// Nothing may be written by it, nothing may end the process, and no function may hand out a table that can be written.
const everyFile = `local function functions()
  local list, seen = {}, {}
  local function add(lib, name)
    if seen[lib] then return end
    seen[lib] = true
    for k, v in pairs(lib) do
      local at = name .. tostring(k)
      if type(v) == "function" then list[#list + 1] = { at, v }
      elseif type(v) == "table" then add(v, at .. ".") end
    end
  end
  add(_G, "")
  table.sort(list, function(a, b) return a[1] < b[1] end)
  return list
end

local function libraries(ctx)
  local list = { ctx, json.null, text("x"), link{ uri = "file:///x" }, array{ 1 }, json.object{} }
  local names = {}
  for k, v in pairs(_G) do if type(v) == "table" then names[#names + 1] = k end end
  table.sort(names)
  for _, k in ipairs(names) do list[#list + 1] = _G[k] end
  return list
end

return {
  tool{
    name = "every",
    description = "Tries every function with every library.",
    run = function(args, ctx)
      local tried, wrote = 0, {}
      for _, f in ipairs(functions()) do
        local name, fn = f[1], f[2]
        for _, lib in ipairs(libraries(ctx)) do
          for _, arguments in ipairs{ { lib }, { lib, 1 }, { lib, "owned", 1 }, { lib, lib }, { lib, lib, lib }, { 1, lib }, { "x", lib }, { {}, lib }, { fn, lib }, { "x", "x", lib },
              { lib, { __index = {} } }, { lib, function() return true end }, { lib, "upper", "owned" }, { lib, 1, "owned" } } do
            local results = { pcall(fn, unpack(arguments, 1, 3)) }
            tried = tried + 1
            for i = 2, #results do
              local r = results[i]
              -- A table that has the functions of a library in it must not be a plain one.
              if type(r) == "table" and r ~= lib and pcall(rawset, r, "owned", 1) then
                for _, v in pairs(r) do
                  if type(v) == "function" and r ~= arguments[1] and r ~= arguments[2] then wrote[#wrote + 1] = name end
                end
              end
            end
          end
        end
      end
      local owned = {}
      for k, lib in pairs(_G) do
        if type(lib) == "table" and (rawget(lib, "owned") ~= nil or rawget(lib, 1) ~= nil) then owned[#owned + 1] = k end
      end
      return (tried > 10000 and "tried" or "too few: " .. tried) .. " wrote:" .. table.concat(wrote, " ") .. " owned:" .. table.concat(owned, " ")
    end,
  },
}
`

func TestEveryFunctionWithEveryLibrary(t *testing.T) {
	l, err := openLibrary(t.TempDir(), scripts.Options{}, map[string]string{"every.lua": everyFile, "probe.lua": probeFile})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	tool, probe := find(l, "every"), find(l, "probe")
	if tool == nil || probe == nil {
		t.Fatal(problems(l))
	}
	call := func(tool *scripts.Tool) string {
		t.Helper()
		res, err := tool.Call(scripts.WithCall(context.Background(), &luabind.CallInfo{Log: func(string, string) {}}), json.RawMessage("{}"))
		if err != nil {
			t.Fatal(err)
		}
		return res.Content[0].Text
	}
	before := call(probe)
	if got := call(tool); got != "tried wrote: owned:" {
		t.Errorf("it says %q", got)
	}
	if after := call(probe); after != before {
		t.Errorf("the libraries have changed:\n%s\n%s", before, after)
	}
	if !strings.Contains(before, "string=table") {
		t.Errorf("the probe says %q", before)
	}
}
