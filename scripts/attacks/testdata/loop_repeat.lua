-- An endless loop that looks at its condition last.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local n = 0
    repeat n = n + 1 until n < 0
  end,
}
