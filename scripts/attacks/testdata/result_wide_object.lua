-- An object of a hundred thousand keys.
-- want: result|error|limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 1e5 do t['k' .. i] = i end
    return t
  end,
}
