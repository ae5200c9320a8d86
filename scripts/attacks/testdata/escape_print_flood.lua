-- Fill the log.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do print(('x'):rep(16000)) end
  end,
}
