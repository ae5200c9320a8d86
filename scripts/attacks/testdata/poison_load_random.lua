-- A top level that differs from run to run.
-- want: load error|result|error
-- again: any
local t = {}
t.x = #tostring(t) .. tostring(t):sub(-4)
if t.x:byte(-1) % 2 == 0 then t = { x = 'even' } else t = { x = 'odd' } end
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return t.x
  end,
}
