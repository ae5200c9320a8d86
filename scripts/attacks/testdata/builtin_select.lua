-- select with strange indices.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, n in ipairs{ 2 ^ 62, -2 ^ 62, 0, -1, 0 / 0, 1e300, '#', '1' } do pcall(select, n, 1, 2) end
    return 'ended'
  end,
}
