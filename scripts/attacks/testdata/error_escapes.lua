-- An error with terminal escapes and invalid UTF-8.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    error('\27[2J\27]0;x\7\255\254\0\128')
  end,
}
