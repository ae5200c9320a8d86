-- As many strings as fit.
-- want: limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 1e6 do t[i] = ('x'):rep(1e5) end
  end,
}
