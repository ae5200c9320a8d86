-- os.time of strange dates.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, n in ipairs{ 0, -1, 2 ^ 31, 2 ^ 60, 1e300, 0 / 0, math.huge, '1', {} } do
      pcall(os.time, { year = n, month = n, day = n, hour = n, min = n, sec = n })
      pcall(os.difftime, n, n)
    end
    return 'ended'
  end,
}
