-- A text that grows six times when it is written as JSON.
-- want: result|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return ('\1'):rep(16e6)
  end,
}
