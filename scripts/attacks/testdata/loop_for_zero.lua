-- A loop whose step is 0.
-- want: timeout|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for i = 1, 2, 0 do end
  end,
}
