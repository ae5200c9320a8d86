-- A format of a million verbs.
-- want: error|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return #(('%s'):rep(1e6)):format('x')
  end,
}
