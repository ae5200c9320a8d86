-- __newindex that calls itself.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = setmetatable({}, { __newindex = function(t, k, v) t[k] = v end })
    t.x = 1
  end,
}
