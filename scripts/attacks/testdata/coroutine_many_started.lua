-- A million started coroutines, all kept.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 1e6 do
      t[i] = coroutine.wrap(function() coroutine.yield() end)
      t[i]()
    end
  end,
}
