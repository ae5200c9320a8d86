-- References to long captures.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s = ('a'):rep(2e6)
    return s:find('(a*)%1%1b')
  end,
}
