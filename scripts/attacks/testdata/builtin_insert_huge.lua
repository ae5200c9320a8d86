-- insert at strange places.
-- want: error|limit|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, n in ipairs{ 2 ^ 52, 2 ^ 63, 1e300, -1, 0, 0.5, 0 / 0, math.huge, -math.huge } do pcall(table.insert, {}, n, 1) end
    return 'ended'
  end,
}
