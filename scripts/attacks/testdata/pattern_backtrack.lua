-- A pattern whose work is exponential.
-- want: timeout|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return (('a'):rep(30)):find(('a?'):rep(30) .. ('a'):rep(30) .. 'b')
  end,
}
