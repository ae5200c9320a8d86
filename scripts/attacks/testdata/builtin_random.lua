-- Random numbers of impossible ranges.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, r in ipairs{ { 0 }, { -1 }, { 2, 1 }, { -2 ^ 1023, 2 ^ 1023 }, { 1, math.huge }, { 0 / 0 }, { -math.huge, 1 } } do pcall(math.random, unpack(r)) end
    pcall(math.randomseed, 0 / 0)
    pcall(math.randomseed, 1e308)
    return 'ended'
  end,
}
