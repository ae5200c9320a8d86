-- The table that pairs hands to its iterator.
-- want: result "ended"
-- look: result "nil"
return {
  tool{
    name = "escape_iterator_table",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      for _, lib in pairs(_G) do
        if type(lib) == 'table' then
          for _, f in ipairs{ pairs, ipairs } do
            local _, inner = f(lib)
            pcall(rawset, inner, 'owned', 1)
            pcall(function() inner.owned = 1 end)
          end
        end
      end
      return 'ended'
    end,
  },
  tool{
    name = "look_escape_iterator_table",
    description = "Tries to harm its host.",
    run = function(args, ctx)
      return tostring(rawget(string, 'owned'))
    end,
  },
}
