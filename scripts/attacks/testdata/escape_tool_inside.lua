-- tool and param while a call runs.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for i = 1, 1000 do pcall(tool, { description = ('x'):rep(1e4), run = function() end }) pcall(param.string, 'x', { match = '((((a*)*)*)*)*' }) pcall(param.json, '{') end
    local t = tool{ description = 'x', run = function() end }
    pcall(rawset, t, 'run', error)
    return type(t)
  end,
}
