-- More values through yield than the stack holds.
-- want: error|limit|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local co = coroutine.wrap(function(...) while true do coroutine.yield(...) end end)
    local n = 0
    for i = 1, 100 do n = n + select('#', co(unpack({}, 1, 7000))) end
    return n
  end,
}
