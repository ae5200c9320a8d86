-- Keys of a table, all kept.
-- want: timeout|limit
-- wall: 5s
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    local i = 0
    while true do
      i = i + 1
      t[i + 0.5] = i
    end
  end,
}
