-- A generator that the load made.
-- want: result "1"
local gen = coroutine.wrap(function() for i = 1, 100 do coroutine.yield(i) end end)
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return gen()
  end,
}
