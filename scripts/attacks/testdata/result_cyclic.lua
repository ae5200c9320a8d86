-- A table that holds itself.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    t.t = t
    return t
  end,
}
