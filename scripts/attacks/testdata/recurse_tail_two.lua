-- Two functions that call each other in the tail.
-- want: limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local g
    local function f() return g() end
    g = function() return f() end
    return f()
  end,
}
