-- NaN for NaN, and 0 for -0.
-- want: result "inf"
local t = { zero = 0, nan = 0 / 0 }
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local old = tostring(1 / t.zero)
    t.zero = -t.zero
    return old
  end,
}
