-- A cycle of __index tables.
-- want: limit|error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local a, b = {}, {}
    setmetatable(a, { __index = b })
    setmetatable(b, { __index = a })
    return tostring(a.x)
  end,
}
