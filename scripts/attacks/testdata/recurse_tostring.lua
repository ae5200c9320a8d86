-- __tostring that calls itself.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = setmetatable({}, { __tostring = function(t) return tostring(t) end })
    return tostring(t)
  end,
}
