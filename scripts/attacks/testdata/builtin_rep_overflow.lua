-- A length that overflows 64 bits.
-- want: limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return #('xxxx'):rep(2 ^ 62)
  end,
}
