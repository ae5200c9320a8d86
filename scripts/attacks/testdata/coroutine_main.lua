-- Resume what runs.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return tostring(pcall(coroutine.resume, coroutine.running()))
  end,
}
