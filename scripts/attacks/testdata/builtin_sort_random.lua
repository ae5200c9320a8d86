-- An order by chance.
-- want: timeout|result|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 1e4 do t[i] = i end
    while true do table.sort(t, function() return math.random() < 0.5 end) end
  end,
}
