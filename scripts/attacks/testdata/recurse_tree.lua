-- A function that calls itself twice, for ever.
-- want: timeout|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f(n) if n > 0 then f(n - 1) f(n - 1) end end
    f(150)
  end,
}
