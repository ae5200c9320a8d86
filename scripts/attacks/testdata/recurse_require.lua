-- A module that is not there, asked for in a thousand ways.
-- want: error|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local n = 0
    for i = 1, 1000 do if not pcall(require, 'lib.x' .. i) then n = n + 1 end end
    return n
  end,
}
