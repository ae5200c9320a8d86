-- A loop whose step is lost in rounding.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for i = 2 ^ 60, 2 ^ 61, 0.5 do end
  end,
}
