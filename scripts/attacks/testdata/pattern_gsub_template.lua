-- A replacement of a million escapes.
-- want: limit|error|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return #(('a'):rep(1e5)):gsub('a', ('%%'):rep(1e6))
  end,
}
