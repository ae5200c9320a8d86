-- Write the functions of all strings by their metatable.
-- want: error|result
-- look: result "X"
return {
  tool{
    name = "escape_string_metatable_index",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      local mt = getmetatable('')
      local t = type(mt) == 'table' and mt.__index or ('').__index
      t.upper = function() return 'owned' end
      return ('x'):upper()
    end,
  },
  tool{
    name = "look_escape_string_metatable_index",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      return ('x'):upper()
    end,
  },
}
