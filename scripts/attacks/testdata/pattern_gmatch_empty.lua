-- gmatch of nothing in the longest string.
-- want: timeout|result|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local n = 0
    for a in (('a'):rep(16e6)):gmatch('') do n = n + 1 end
    return n
  end,
}
