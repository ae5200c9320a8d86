-- A result after a caught limit of bytes.
-- want: limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    pcall(function() for i = 1, 1e6 do t[i] = ('x'):rep(1e6) end end)
    return 'still here'
  end,
}
