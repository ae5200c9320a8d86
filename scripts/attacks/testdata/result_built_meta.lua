-- A built result whose meta is long.
-- want: error|result|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return result{ text('x'), meta = { x = ('x'):rep(15e6) } }
  end,
}
