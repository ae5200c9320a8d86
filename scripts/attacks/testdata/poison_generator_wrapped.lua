-- A generator inside a table inside a closure.
-- want: result "1"
local t = {}
do
  local co = coroutine.create(function() for i = 1, 100 do coroutine.yield(i) end end)
  t.f = function() return (select(2, coroutine.resume(co))) end
end
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return t.f()
  end,
}
