-- JSON that is deep.
-- want: error|result "false false"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local a = pcall(json.decode, ('['):rep(1e6))
    local t = {}
    for i = 1, 1e5 do t = { t } end
    local b = pcall(json.encode, t)
    return tostring(a) .. ' ' .. tostring(b)
  end,
}
