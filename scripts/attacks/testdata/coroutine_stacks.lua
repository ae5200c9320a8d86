-- Two thousand coroutines, each with a stack as large as can be.
-- want: timeout|limit|error
-- wall: 5s
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function deep(n, ...)
      if n == 0 then coroutine.yield() return 1 end
      return 1 + deep(n - 1, ...)
    end
    local all = {}
    for i = 1, 1990 do
      local co = coroutine.wrap(deep)
      co(7, unpack({}, 1, 7500))
      all[i] = co
    end
    return #all
  end,
}
