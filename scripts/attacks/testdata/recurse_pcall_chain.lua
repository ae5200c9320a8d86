-- pcall of pcall of pcall.
-- want: limit|error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local p = {}
    for i = 1, 5000 do p[i] = pcall end
    return tostring(pcall(unpack(p)))
  end,
}
