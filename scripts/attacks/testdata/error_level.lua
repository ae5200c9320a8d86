-- Errors at strange levels.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, l in ipairs{ 2 ^ 62, -2 ^ 62, 0 / 0, 1e300, 200, -1 } do pcall(error, 'x', l) end
    error('x', 2 ^ 60)
  end,
}
