-- A failure with the longest text.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return nil, ('x'):rep(16e6)
  end,
}
