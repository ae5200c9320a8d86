-- __call that calls itself.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = setmetatable({}, { __call = function(self) return 1 + self() end })
    return t()
  end,
}
