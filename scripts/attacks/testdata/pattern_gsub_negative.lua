-- gsub with strange counts.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, n in ipairs{ -1, 0, 2 ^ 63, -2 ^ 63, 0 / 0, 1e300 } do pcall(string.gsub, 'aaa', 'a', 'b', n) end
    return 'ended'
  end,
}
