-- gsub by the whole match, many times.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return #(('a'):rep(1e4)):gsub('.+', ('%0'):rep(1e4))
  end,
}
