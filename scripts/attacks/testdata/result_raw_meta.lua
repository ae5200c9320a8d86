-- A written-out result whose _meta is long.
-- want: error|result|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return { content = { { type = 'text', text = 'x' } }, _meta = { x = ('x'):rep(15e6) } }
  end,
}
