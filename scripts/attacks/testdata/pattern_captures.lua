-- More captures than there can be.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return ('a'):find(('(a?)'):rep(100))
  end,
}
