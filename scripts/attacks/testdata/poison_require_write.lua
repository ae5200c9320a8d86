-- A module of another file.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local ok, m = pcall(require, 'lib.shared')
    if not ok then return 'no module' end
    local old = tostring(m.x)
    m.x = 'owned'
    return old
  end,
}
