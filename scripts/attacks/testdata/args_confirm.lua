-- A confirm function that changes what run sees.
-- want: error|result "1"
local n = 1
return tool{
  description = "Tries to harm its host.",
  confirm = function() n = 2 return nil end,
  run = function(args, ctx)
    return n
  end,
}
