-- __unm and arithmetic that call one another.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local mt = {}
    local a = setmetatable({}, mt)
    mt.__unm = function(x) return x + 1 end
    mt.__add = function(x) return -x end
    return -a
  end,
}
