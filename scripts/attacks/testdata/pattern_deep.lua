-- A pattern that is a hundred thousand quantifiers long: the original recurses on the Go stack.
-- want: error|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return (('a'):rep(1e5)):find(('a?'):rep(1e5))
  end,
}
