-- Sleeps inside pcall inside coroutines.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do coroutine.resume(coroutine.create(function() pcall(ctx.sleep, ctx, 3600) end)) end
  end,
}
