-- A table that is replaced by an equal one.
-- want: result "1"
local t = { inner = { 1 } }
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local x = t.inner[1]
    t.inner = { 1 }
    t.inner[2] = 'leak'
    return x .. (#t.inner > 2 and 'leak' or '')
  end,
}
