-- %q of eight million quotes.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return #('%q'):format(('"'):rep(12e6))
  end,
}
