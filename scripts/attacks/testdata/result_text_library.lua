-- The text library with long and hostile texts.
-- want: error|limit|timeout|result
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local s = ('\255\240\159'):rep(3e6)
    while true do
      for _, f in ipairs{ text.reverse, text.len, text.upper, text.lower, text.trim } do f(s) end
    end
  end,
}
