-- An error object that holds itself.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    t.message = t
    t.hint = t
    error(t)
  end,
}
