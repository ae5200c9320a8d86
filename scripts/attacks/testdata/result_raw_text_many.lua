-- A written-out text block a million times.
-- want: error|result|limit|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local b, t = { type = 'text', text = '' }, {}
    for i = 1, 1e6 do t[i] = b end
    return { content = t }
  end,
}
