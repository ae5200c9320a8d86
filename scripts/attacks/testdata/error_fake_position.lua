-- Errors that claim to be elsewhere.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    error('/etc/passwd:1: root:x:0:0', 0)
  end,
}
