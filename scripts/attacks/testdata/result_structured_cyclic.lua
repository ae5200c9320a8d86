-- Structured content that holds itself.
-- want: error
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    t.t = t
    return result{ structured = t }
  end,
}
