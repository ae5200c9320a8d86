-- %f with a long set at every position.
-- want: timeout|error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return (('a'):rep(1e6)):find('%f[' .. ('b'):rep(1e5) .. ']b')
  end,
}
