-- A file whose top level holds a table of a million values: each state has its own.
-- want: result|load error|limit
local t = {}
for i = 1, 1e6 do t[i] = i end
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return #t
  end,
}
