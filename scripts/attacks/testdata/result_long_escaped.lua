-- A text that grows six times when it is written as JSON.
-- want: result|error
-- open: 4 MiB of text become 24 MiB of JSON, several times in memory; a served process goes to some 530 MiB
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    return ('\1'):rep(16e6)
  end,
}
