-- Write the mark that all lists share.
-- want: result "[1]"
-- look: result "[1]"
return {
  tool{
    name = "escape_array_mark",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      local mt = getmetatable(array{ 1 })
      if type(mt) == 'table' then
        pcall(rawset, mt, '__index', function() return 'owned' end)
        pcall(rawset, mt, 'x', 1)
      end
      return json.encode(array{ 1 })
    end,
  },
  tool{
    name = "look_escape_array_mark",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      return json.encode(array{ 1 })
    end,
  },
}
