-- Searches from strange places.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, i in ipairs{ 2 ^ 63, -2 ^ 63, 0 / 0, 1e300, -1e300 } do
      pcall(string.find, 'abc', 'b', i)
      pcall(string.match, 'abc', 'b', i)
      pcall(string.sub, 'abc', i, i)
      pcall(string.byte, 'abc', i, i)
    end
    return 'ended'
  end,
}
