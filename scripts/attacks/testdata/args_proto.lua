-- Keys that mean something elsewhere.
-- want: error|result
-- args: {"__proto__":{"a":1},"constructor":{},"a":1}
return tool{
  description = "Tries to harm its host.",
  input = { a = "any?" },
  run = function(args, ctx)
    return json.encode(args)
  end,
}
