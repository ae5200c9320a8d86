-- An iterator of gmatch that the load made.
-- want: result "a"
local words = ('a b c'):gmatch('%a')
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return (words())
  end,
}
