-- table.concat of a gigabyte.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t, s = {}, ('x'):rep(1e5)
    for i = 1, 1e4 do t[i] = s end
    return #table.concat(t)
  end,
}
