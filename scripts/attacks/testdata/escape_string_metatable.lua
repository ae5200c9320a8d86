-- Write the metatable of all strings.
-- want: error|result
-- look: result "X"
return {
  tool{
    name = "escape_string_metatable",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      local mt = getmetatable('')
      mt.__index = function() return 'owned' end
      return ('x').y
    end,
  },
  tool{
    name = "look_escape_string_metatable",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      return ('x'):upper()
    end,
  },
}
