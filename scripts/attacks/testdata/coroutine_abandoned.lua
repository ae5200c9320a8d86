-- Coroutines that are started and dropped, without end.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do coroutine.wrap(function() coroutine.yield() end)() end
  end,
}
