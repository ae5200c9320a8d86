-- A string of ten gigabytes.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return #('x'):rep(1e10)
  end,
}
