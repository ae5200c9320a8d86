-- An error with the verbs of fmt.
-- want: error "%s%d%v%!s(MISSING)%n"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    error('%s%d%v%!s(MISSING)%n', 0)
  end,
}
