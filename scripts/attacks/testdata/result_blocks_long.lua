-- One long block of text many times.
-- want: error|result|limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local b, t = text(('x'):rep(1e6)), {}
    for i = 1, 1e5 do t[i] = b end
    return t
  end,
}
