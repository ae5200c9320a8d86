-- remove in front, without end.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 1e5 do t[i] = i end
    while true do
      table.remove(t, 1)
      t[#t + 1] = 1
    end
  end,
}
