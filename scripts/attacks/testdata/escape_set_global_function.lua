-- Replace a global function.
-- want: load error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    function pcall() return true end
    return pcall()
  end,
}
