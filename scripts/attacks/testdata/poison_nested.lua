-- A table deep inside a table at the top of the file.
-- want: result "nil"
local t = { a = { b = { c = { {} } } } }
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local old = tostring(t.a.b.c[1].d)
    t.a.b.c[1].d = 1
    return old
  end,
}
