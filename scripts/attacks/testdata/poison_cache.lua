-- A table at the top of the file.
-- want: result "0"
local cache = {}
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local n = #cache
    cache[n + 1] = args
    return n
  end,
}
