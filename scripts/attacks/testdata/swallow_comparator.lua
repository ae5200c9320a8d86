-- A comparator that never ends.
-- want: timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    table.sort({ 2, 1 }, function() while true do end end)
  end,
}
