-- __eq that calls itself.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local mt = {}
    local a, b = setmetatable({}, mt), setmetatable({}, mt)
    mt.__eq = function(a, b) return not (a == b) end
    return tostring(a == b)
  end,
}
