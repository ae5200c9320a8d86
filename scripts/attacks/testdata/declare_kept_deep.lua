-- A file whose top level holds a table a hundred thousand levels deep.
-- want: result|load error|limit
local t = {}
for i = 1, 1e5 do t = { t } end
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return type(t)
  end,
}
