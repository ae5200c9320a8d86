-- Written-out content with gaps and a cycle.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local c = { [1] = { type = 'text', text = 'x' }, [3] = { type = 'text' } }
    c[2] = c
    return { content = c, isError = 'yes', _meta = c }
  end,
}
