-- Upvalues of loops that are left by goto and error.
-- want: result "1 2 3"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local fs = {}
    for i = 1, 3 do
      local x = i
      fs[i] = function() x = x return x end
      pcall(function() local y = x; fs[0] = function() y = y + 1 return y end error("x") end)
      pcall(fs[0])
    end
    return fs[1]() .. " " .. fs[2]() .. " " .. fs[3]()
  end,
}
