-- One link of sixteen megabytes.
-- want: error|result|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return link{ uri = 'file:///x', name = 'x', description = ('x'):rep(16e6) }
  end,
}
