-- One written-out link with a long title, ten thousand times.
-- want: error|result|limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local b, t = { type = 'resource_link', uri = 'file:///x', name = 'x', title = ('x'):rep(1e6) }, {}
    for i = 1, 1e4 do t[i] = b end
    return { content = t }
  end,
}
