-- Recursion without end.
-- want: limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f() return 1 + f() end
    return f()
  end,
}
