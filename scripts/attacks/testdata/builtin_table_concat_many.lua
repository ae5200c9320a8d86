-- table.concat of more items than the Lua stack holds: the original overflows it.
-- want: result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 3e5 do t[i] = 'x' end
    return #table.concat(t, ',')
  end,
}
