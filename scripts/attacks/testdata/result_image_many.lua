-- One picture a hundred thousand times.
-- want: error|limit|timeout|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local b, t = image('\137PNG\r\n\26\n' .. ('x'):rep(1e5)), {}
    for i = 1, 1e5 do t[i] = b end
    return t
  end,
}
