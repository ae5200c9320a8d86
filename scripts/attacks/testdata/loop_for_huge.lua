-- A loop over more numbers than there is time.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for i = 1, math.huge do end
  end,
}
