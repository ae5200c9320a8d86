-- __index that calls itself.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = setmetatable({}, { __index = function(t, k) return t[k] end })
    return t.x
  end,
}
