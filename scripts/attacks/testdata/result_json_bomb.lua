-- A text of JSON that becomes millions of tables.
-- want: error|limit|timeout|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s = '[' .. ('{},'):rep(5e6) .. '{}]'
    local ok, v = pcall(json.decode, s)
    return tostring(ok)
  end,
}
