-- JSON with numbers of a million digits.
-- want: error|limit|timeout|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, s in ipairs{ ('9'):rep(1e6), '1e999999999', '-1e-999999999', '0.' .. ('0'):rep(1e6) .. '1', '1' .. ('0'):rep(1e6) .. 'e-1000000' } do
      pcall(json.decode, s)
      pcall(json.integer, s)
    end
    return 'ended'
  end,
}
