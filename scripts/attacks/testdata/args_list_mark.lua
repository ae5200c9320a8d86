-- A list from the model, used as a metatable.
-- want: result|error
-- args: {"list":[]}
return tool{
  description = "Tries to harm its host.",
  input = { list = "any[]" },
  run = function(args, ctx)
    local t = setmetatable({}, getmetatable(args.list) and args.list or {})
    return tostring(t.x)
  end,
}
