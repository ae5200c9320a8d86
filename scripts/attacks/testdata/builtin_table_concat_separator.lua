-- table.concat with a long separator.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 1e4 do t[i] = '' end
    return #table.concat(t, ('x'):rep(1e6))
  end,
}
