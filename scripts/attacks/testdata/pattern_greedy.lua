-- A greedy pattern whose work is cubic.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return (('a'):rep(1e6)):find('.*.*b')
  end,
}
