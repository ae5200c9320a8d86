-- One link with a long description ten thousand times.
-- want: error|result|limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local b, t = link{ uri = 'file:///x', name = 'x', description = ('x'):rep(1e6) }, {}
    for i = 1, 1e4 do t[i] = b end
    return t
  end,
}
