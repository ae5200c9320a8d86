-- Keys from the model that are names of metamethods.
-- want: result|error
-- args: {"t":{"__index":{"x":{"__index":1}},"__metatable":1,"__call":{},"__newindex":[]}}
return tool{
  description = "Tries to harm its host.",
  input = { t = param.any("Anything at all.") },
  run = function(args, ctx)
    local t = setmetatable({}, args.t)
    return type(t.x) .. tostring(#t)
  end,
}
