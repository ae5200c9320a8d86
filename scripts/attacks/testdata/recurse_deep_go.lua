-- Two hundred frames of gsub under each of a hundred pcalls.
-- want: limit|error|timeout|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function g(n, h)
      if n == 0 then return h() end
      return (("x"):gsub("(x)", function() g(n - 1, h) end))
    end
    local function f(n) if n > 0 then pcall(g, 60, function() f(n - 1) end) end end
    f(99)
    return "ended"
  end,
}
