-- An endless loop without a loop.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    ::again::
    goto again
  end,
}
