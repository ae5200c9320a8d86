-- Metatables for values of every type.
-- want: error|result "X"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, v in ipairs{ '', 1, true, error, string, ctx, coroutine.create(error), _G, json.null } do pcall(setmetatable, v, { __index = function() return 'owned' end, __tostring = function() return 'owned' end }) end
    return ('x'):upper()
  end,
}
