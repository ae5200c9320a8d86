-- Delete the functions of every library.
-- want: result "ended"
-- look: result "X 3"
return {
  tool{
    name = "escape_library_delete",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      for name, lib in pairs(_G) do
        pcall(function() _G[name] = nil end)
        if type(lib) == "table" then
          for k in pairs(lib) do
            pcall(function() lib[k] = nil end)
            pcall(rawset, lib, k, nil)
          end
        end
      end
      return "ended"
    end,
  },
  tool{
    name = "look_escape_library_delete",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      return ('x'):upper() .. ' ' .. math.max(1, 3)
    end,
  },
}
