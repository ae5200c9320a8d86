-- A coroutine.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return { coroutine.create(function() end) }
  end,
}
