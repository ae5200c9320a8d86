-- Long strings, many times.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s = ('x'):rep(4e6)
    return #('%s%s%s%s%s%s%s%s'):format(s, s, s, s, s, s, s, s)
  end,
}
