-- A long set that is never closed, for ever.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do pcall(string.find, 'a', '[' .. ('b'):rep(1e6)) end
  end,
}
