-- Long strings, sorted.
-- want: timeout|limit|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t, s = {}, ('x'):rep(1e6)
    for i = 1, 30 do t[i] = s .. i end
    while true do
      table.sort(t, function(a, b) return a < b end)
    end
  end,
}
