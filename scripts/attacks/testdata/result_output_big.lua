-- Output that is checked against a schema and is large.
-- want: error|limit|timeout|result
return tool{
  description = "Tries to harm its host.",
  output = { list = "integer[]" },
  run = function(args, ctx)
    local t = {}
    for i = 1, 4e5 do t[i] = i end
    return { list = t }
  end,
}
