-- A kept coroutine of an earlier call that was stopped.
-- want: result "0"
-- again: result "1"
local n, co = 0
return tool{
  description = "Tries to harm its host.",
  keep = true,
  run = function(args, ctx)
    n = n + 1
    co = co or coroutine.wrap(function() while true do coroutine.yield(ctx:cancelled()) end end)
    pcall(co)
    return n - 1
  end,
}
