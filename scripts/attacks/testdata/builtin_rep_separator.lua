-- A long separator many times.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return #('x'):rep(1e9, ('y'):rep(1e6))
  end,
}
