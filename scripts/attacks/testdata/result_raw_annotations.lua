-- Written-out annotations that are hostile.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local a = {}
    a.a = a
    return { content = { { type = 'text', text = 'x', annotations = a, _meta = a } }, isError = false }
  end,
}
