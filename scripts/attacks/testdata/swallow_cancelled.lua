-- Look at ctx:cancelled() and go on.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do pcall(ctx.cancelled, ctx) end
  end,
}
