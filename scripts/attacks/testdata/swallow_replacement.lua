-- A replacement that never ends.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return (('x'):gsub('x', function() while true do end end))
  end,
}
