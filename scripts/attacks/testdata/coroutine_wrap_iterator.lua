-- A generator that resumes its generator.
-- want: limit|error|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function gen(n) return coroutine.wrap(function() for x in gen(n + 1) do coroutine.yield(x) end end) end
    for x in gen(0) do end
  end,
}
