-- Fill the channel with progress.
-- want: timeout|limit|result|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for i = 1, 1e9 do ctx:progress{ done = i, total = 1e9, message = ('x'):rep(1000) } end
  end,
}
