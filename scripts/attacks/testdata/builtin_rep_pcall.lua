-- rep beyond the limit, caught, for ever.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do pcall(string.rep, 'x', 1e10) end
  end,
}
