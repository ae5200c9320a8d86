-- __lt and __le that call each other.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local mt = {}
    local a, b = setmetatable({}, mt), setmetatable({}, mt)
    mt.__lt = function(a, b) return not (a <= b) end
    mt.__le = function(a, b) return not (b < a) end
    return tostring(a < b)
  end,
}
