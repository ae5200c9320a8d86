-- Structured content that is two to the fortieth times one table.
-- want: error|limit|result|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = { x = 'x' }
    for i = 1, 40 do t = { a = t, b = t } end
    return result{ structured = t }
  end,
}
