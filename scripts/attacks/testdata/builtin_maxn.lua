-- maxn of a big table, for ever.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 1e5 do t[i + 0.5] = i end
    while true do table.maxn(t) end
  end,
}
