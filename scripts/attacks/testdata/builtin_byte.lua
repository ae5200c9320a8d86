-- All bytes of a long string.
-- want: error|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return select('#', ('x'):rep(1e7):byte(1, -1))
  end,
}
