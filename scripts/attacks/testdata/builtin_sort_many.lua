-- A million values sorted, for ever.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 5e5 do t[i] = -i end
    while true do table.sort(t) end
  end,
}
