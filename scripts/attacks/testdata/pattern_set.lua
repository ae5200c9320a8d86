-- A long set at every position.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return (('a'):rep(1e5)):find('[' .. ('b'):rep(1e6) .. ']')
  end,
}
