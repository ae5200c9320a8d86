-- A list at the top of the file, emptied.
-- want: result "3"
local t = { 3, 1, 2 }
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local n = #t
    table.remove(t)
    return n
  end,
}
