-- A table that is its own __call.
-- want: limit|error|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    setmetatable(t, { __call = t })
    return t()
  end,
}
