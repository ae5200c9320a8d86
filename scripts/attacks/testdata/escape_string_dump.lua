-- Dump a function, in every way.
-- want: error|result "nil"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local ok, v = pcall(function() return string.dump end)
    local ok2, v2 = pcall(function() return ('').dump end)
    assert(not ok and not ok2)
    return tostring(rawget(string, 'dump'))
  end,
}
