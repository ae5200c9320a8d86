-- A pattern whose work is the twentieth power of the length.
-- want: timeout|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return (('a'):rep(1000)):find(('a*'):rep(20) .. 'b')
  end,
}
