-- A pattern from the model.
-- want: timeout|error
-- args: {"text":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","pattern":"a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"}
return tool{
  description = "Tries to harm its host.",
  input = { text = "string", pattern = "string" },
  run = function(args, ctx)
    return (args.text):find(args.pattern)
  end,
}
