-- Indices that the original fills an array up to.
-- want: result|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    t[67108863] = 1
    t[2 ^ 26] = 1
    t[2 ^ 31] = 1
    t[2 ^ 53] = 1
    rawset(t, 2 ^ 30, 1)
    return #t
  end,
}
