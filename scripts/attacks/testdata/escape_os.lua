-- Functions of os that are not there.
-- want: result "ended"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, n in ipairs{ 'execute', 'exit', 'getenv', 'remove', 'rename', 'setlocale', 'tmpname', 'setenv' } do
      assert(rawget(os, n) == nil, n)
      assert(not pcall(function() return os[n] end), n)
    end
    return 'ended'
  end,
}
