-- A list at the top of the file, sorted in place.
-- want: result "3"
local t = { 3, 1, 2 }
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local first = t[1]
    table.sort(t)
    return first
  end,
}
