-- A text of bytes that each grow to a mark of three.
-- want: result|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return ('\255'):rep(16e6)
  end,
}
