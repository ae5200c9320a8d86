-- Big integers as keys, kept from call to call.
-- want: result "nil"
-- args: {"n":9007199254740993}
local t = {}
return tool{
  description = "Tries to harm its host.",
  input = { n = "integer" },
  run = function(args, ctx)
    local old = tostring(t[args.n])
    t[args.n] = 1
    return old
  end,
}
