-- A closure that is replaced by one that looks the same.
-- want: result "1"
local f
do
  local n = 1
  f = function() return n end
end
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local v = f()
    local n = 1
    f = function() n = n + 1 return n end
    return v
  end,
}
