-- One resource many times.
-- want: error|result|limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local b, t = resource{ uri = 'file:///x', text = ('x'):rep(1e6) }, {}
    for i = 1, 1e4 do t[i] = b end
    return t
  end,
}
