-- An error with the longest text.
-- want: error|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    error(('x'):rep(16e6))
  end,
}
