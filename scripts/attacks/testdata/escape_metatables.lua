-- The metatable of everything that can be reached.
-- want: result "ended"
-- look: result "null X [] {}"
return {
  tool{
    name = "escape_metatables",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      local seen, todo = {}, { _G, "", args, ctx, json.null, array{}, json.object{}, link{ uri = "file:///x" }, text("x"), result{}, coroutine.create(error), error }
      while #todo > 0 do
        local v = table.remove(todo)
        local mt = getmetatable(v)
        if type(mt) == "table" then
          pcall(function() mt.__index = function() return "owned" end end)
          pcall(rawset, mt, "__tostring", function() return "owned" end)
          if not seen[mt] then seen[mt] = true todo[#todo + 1] = mt end
        end
        if type(v) == "table" then
          local ok, k, x = pcall(next, v)
          while ok and k ~= nil do
            if (type(x) == "table" or type(x) == "userdata") and not seen[x] then seen[x] = true todo[#todo + 1] = x end
            ok, k, x = pcall(next, v, k)
          end
        end
      end
      return "ended"
    end,
  },
  tool{
    name = "look_escape_metatables",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      return tostring(json.null) .. ' ' .. ('x'):upper() .. ' ' .. json.encode(array{}) .. ' ' .. json.encode(json.object{})
    end,
  },
}
