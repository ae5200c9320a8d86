-- Locals in the threads that pcall keeps for later.
-- want: result "nil nil nil nil nil"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local seen
    pcall(function() local a, b, c, d, e = 'secret1', 'secret2', 'secret3', 'secret4', 'secret5' error('x') end)
    pcall(function() local a, b, c, d, e seen = tostring(a) .. ' ' .. tostring(b) .. ' ' .. tostring(c) .. ' ' .. tostring(d) .. ' ' .. tostring(e) end)
    return seen
  end,
}
