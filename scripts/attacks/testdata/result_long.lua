-- A text beyond the limit of a result.
-- want: result|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return ('x'):rep(16e6)
  end,
}
