-- Write every library in every way.
-- want: result "ended"
-- look: result "X 3 a,b nil"
return {
  tool{
    name = "escape_library_write",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      local ways = {
        function(l, k, v) l[k] = v end,
        function(l, k, v) rawset(l, k, v) end,
        function(l, k, v) table.insert(l, 1, v) end,
        function(l) table.remove(l) end,
        function(l) table.sort(l) end,
        function(l) setmetatable(l, {}) end,
        function(l, k, v) getmetatable(l).__index[k] = v end,
        function(l, k, v) setmetatable({}, l)[k] = v end,
        function(l, k, v) setmetatable({}, { __newindex = l })[k] = v end,
        function(l, k, v) for _, x in pairs(l) do x[k] = v end end,
      }
      for _, lib in pairs(_G) do
        if type(lib) == "table" then
          for _, way in ipairs(ways) do
            pcall(way, lib, "upper", error)
            pcall(way, lib, "owned", error)
            pcall(way, lib, 1, error)
          end
        end
      end
      return "ended"
    end,
  },
  tool{
    name = "look_escape_library_write",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      return ('x'):upper() .. ' ' .. math.max(1, 3) .. ' ' .. table.concat({ 'a', 'b' }, ',') .. ' ' .. tostring(rawget(string, 'owned'))
    end,
  },
}
