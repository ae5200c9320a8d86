-- Index a nil with the longest key.
-- want: error|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t
    return t[('x'):rep(16e6)]
  end,
}
