-- %b from every position.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return (('('):rep(1e6)):find('%b()')
  end,
}
