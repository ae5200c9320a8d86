-- Fifty pcalls, each with a loop of its own.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f(n)
      if n == 0 then while true do end end
      repeat pcall(f, n - 1) until false
    end
    f(50)
  end,
}
