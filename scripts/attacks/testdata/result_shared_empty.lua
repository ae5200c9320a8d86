-- An empty table two to the eightieth times.
-- want: error|limit|result|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 80 do t = { t, t } end
    return t
  end,
}
