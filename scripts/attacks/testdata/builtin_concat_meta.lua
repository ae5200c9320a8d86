-- __concat that answers ever longer strings.
-- want: limit|error|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local mt = {}
    local s = ('x'):rep(1e6)
    mt.__concat = function(a, b) s = s .. s return s end
    local t = setmetatable({}, mt)
    for i = 1, 1e6 do local _ = t .. t end
  end,
}
