-- The metatable of the arguments.
-- want: result "nil"
-- args: {"list":[1]}
return tool{
  description = "Tries to harm its host.",
  input = { list = "any[]" },
  run = function(args, ctx)
    local mt = getmetatable(args.list)
    local old = type(mt) == 'table' and tostring(rawget(mt, 'x')) or 'nil'
    if type(mt) == 'table' then pcall(rawset, mt, 'x', 1) end
    return old
  end,
}
