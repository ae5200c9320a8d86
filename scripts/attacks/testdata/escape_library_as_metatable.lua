-- Libraries as metatables, and tables behind them.
-- want: error|result
-- look: result "X"
return {
  tool{
    name = "escape_library_as_metatable",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      local t = setmetatable({}, { __index = string, __newindex = string, __metatable = string })
      pcall(function() t.upper = error end)
      local m = getmetatable(t)
      pcall(rawset, m, 'upper', error)
      return ('x'):upper()
    end,
  },
  tool{
    name = "look_escape_library_as_metatable",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      return ('x'):upper()
    end,
  },
}
