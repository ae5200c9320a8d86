-- A text that the original recurses over byte by byte.
-- want: error|timeout|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return #(('a'):rep(1e7)):match('^(.-)$')
  end,
}
