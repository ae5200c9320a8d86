-- Upvalues that xpcall of the original leaves open.
-- want: result "7"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local kept
    xpcall(function()
      local x = 7
      kept = function() return x end
      error('x')
    end, function(e) local a, b, c, d, e2, f, g = 1, 2, 3, 4, 5, 6 return e end)
    local a, b, c, d, e, f, g, h, i, j = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
    return kept()
  end,
}
