-- Coroutines of Go functions.
-- want: error|result|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, lib in ipairs{ string, table, math, os, coroutine, json, text } do
      for _, f in pairs(lib) do
        if type(f) == 'function' then pcall(coroutine.wrap(f), 'x', 1) end
      end
    end
    return 'ended'
  end,
}
