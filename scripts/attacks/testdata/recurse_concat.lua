-- __concat that calls itself.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local mt = {}
    mt.__concat = function(a, b) return setmetatable({}, mt) .. 'x' end
    return setmetatable({}, mt) .. 'x'
  end,
}
