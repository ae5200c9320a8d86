-- An error at the end of a million tail calls.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f(n) if n == 0 then error('x') end return f(n - 1) end
    return f(1e6)
  end,
}
