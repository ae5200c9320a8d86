-- xpcall whose handler goes on.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    while true do xpcall(function() while true do end end, function() while true do end end) end
  end,
}
