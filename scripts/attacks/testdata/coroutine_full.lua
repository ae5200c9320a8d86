-- New coroutines at the limit, caught, for ever: each has the collector run.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 1999 do
      t[i] = coroutine.wrap(function() coroutine.yield() end)
      t[i]()
    end
    while true do pcall(coroutine.create, function() end) end
  end,
}
