-- os.date with long and strange formats.
-- want: error|result|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, f in ipairs{ ('%c'):rep(1e6), '%', '%Ez', '!*t', '*t', '%\0', ('x'):rep(1e6) } do
      for _, t in ipairs{ 0, -1, 2 ^ 60, -2 ^ 60, 1e300, 0 / 0 } do pcall(os.date, f, t) end
    end
    return 'ended'
  end,
}
