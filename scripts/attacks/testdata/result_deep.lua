-- A hundred thousand tables in one another.
-- want: error|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    for i = 1, 1e5 do t = { t } end
    return t
  end,
}
