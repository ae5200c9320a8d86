-- An error that is a coroutine.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    error(coroutine.create(function() end))
  end,
}
