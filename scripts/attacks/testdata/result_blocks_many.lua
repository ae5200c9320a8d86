-- One empty block of text a million times.
-- want: error|result|limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local b, t = text(''), {}
    for i = 1, 1e6 do t[i] = b end
    return t
  end,
}
