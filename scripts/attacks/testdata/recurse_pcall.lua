-- Recursion in pcall.
-- want: limit|error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f() return pcall(f) end
    return tostring(f())
  end,
}
