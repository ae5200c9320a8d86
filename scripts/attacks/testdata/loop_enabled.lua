-- An enabled function that never ends.
-- want: load error
return tool{
  description = "Tries to harm its host.",
  enabled = function() while true do end end,
  run = function(args, ctx)
    return "never"
  end,
}
