-- gsub of nothing by nothing in the longest string.
-- want: result|timeout|limit|error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s = ('a'):rep(16e6)
    local _, n = s:gsub('', '')
    return n
  end,
}
