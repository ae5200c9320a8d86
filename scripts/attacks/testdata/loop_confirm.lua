-- A confirm function that never ends.
-- want: timeout|error
return tool{
  description = "Tries to harm its host.",
  confirm = function() while true do end end,
  run = function(args, ctx)
    return "never asked"
  end,
}
