-- Output that does not fit its schema, in a hundred thousand places.
-- want: error|limit|timeout
return tool{
  description = "Tries to harm its host.",
  output = { list = "integer[]" },
  run = function(args, ctx)
    local t = {}
    for i = 1, 1e5 do t[i] = 'x' end
    return { list = t }
  end,
}
