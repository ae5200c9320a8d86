-- __len that calls itself.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = setmetatable({}, { __len = function(t) return 1 + #t end })
    return #t
  end,
}
