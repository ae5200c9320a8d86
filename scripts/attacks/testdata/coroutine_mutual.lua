-- Two coroutines that resume each other: in the original the process dies.
-- want: error|limit|timeout|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local a, b
    a = coroutine.create(function() while true do coroutine.resume(b) end end)
    b = coroutine.create(function() while true do coroutine.resume(a) end end)
    return tostring(coroutine.resume(a))
  end,
}
