-- One table two to the fortieth times.
-- want: error|limit|result|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = { 'x' }
    for i = 1, 40 do t = { t, t } end
    return t
  end,
}
