-- A list of half a million numbers.
-- want: result|error|limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 5e5 do t[i] = i end
    return t
  end,
}
