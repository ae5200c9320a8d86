-- resume that swallows the end of the call.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do coroutine.resume(coroutine.create(function() while true do end end)) end
  end,
}
