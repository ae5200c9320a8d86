-- insert into a full list.
-- want: limit|error|timeout
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local t = {}
    t[1048574] = 1
    for i = 1, 1e7 do table.insert(t, 1) end
  end,
}
