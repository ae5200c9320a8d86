-- Use of dead and running coroutines.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local co = coroutine.create(function() error('x') end)
    coroutine.resume(co)
    for i = 1, 1000 do coroutine.resume(co) end
    return coroutine.status(co)
  end,
}
