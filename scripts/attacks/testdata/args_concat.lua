-- A list from the model, joined without end.
-- want: limit
-- args: {"list":["a","b"]}
return tool{
  description = "Tries to harm its host.",
  input = { list = "string[]" },
  run = function(args, ctx)
    local s = table.concat(args.list, '')
    while true do s = s .. s end
  end,
}
