-- Closures with upvalues, all kept.
-- want: timeout|limit
-- open: the watch of the heap ends it at some 670 MiB
-- wall: 5s
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local f
    while true do
      local g, a, b, c = f, 1, 2, 3
      f = function() return g, a, b, c end
    end
  end,
}
