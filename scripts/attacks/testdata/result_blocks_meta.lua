-- One block with a long meta ten thousand times.
-- want: error|result|limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local b, t = text('x', { meta = { x = ('x'):rep(1e6) } }), {}
    for i = 1, 1e4 do t[i] = b end
    return t
  end,
}
