-- insert in front, without end.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    while true do table.insert(t, 1, 1) end
  end,
}
