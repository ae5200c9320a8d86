-- json.encode of one table two to the sixtieth times.
-- want: error|limit|timeout|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 60 do t = { t, t } end
    while true do pcall(json.encode, t) end
  end,
}
