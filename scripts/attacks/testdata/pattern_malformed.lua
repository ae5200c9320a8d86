-- Patterns that are wrong.
-- want: error|result "ended"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, p in ipairs{ '%', '[', '[^', '[a', '[a-', '[%', '[]', '[^]', '(', ')', '()(', '%b', '%bx', '%f', '%fa', '%1', '(a)%2', '(%1)', '%0', '^*', '*', '[a-%z]', '\0', ('('):rep(40), (')'):rep(40) } do
      for _, f in ipairs{ string.find, string.match, string.gmatch, string.gsub } do
        local ok, it = pcall(f, 'abc', p, '')
        if ok and type(it) == 'function' then pcall(it) end
      end
    end
    return 'ended'
  end,
}
