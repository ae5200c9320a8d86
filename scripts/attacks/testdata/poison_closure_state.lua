-- The hidden state of a closure that the load made.
-- want: result "1"
local function counter()
  local n = 0
  return function() n = n + 1 return n end
end
local count = counter()
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return count()
  end,
}
