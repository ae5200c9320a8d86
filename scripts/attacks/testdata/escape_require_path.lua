-- require of paths.
-- want: error|result "ended"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, p in ipairs{ '../../etc/passwd', '/etc/passwd', 'lib/../../x', 'lib.../..', 'C:\\x', 'io', 'debug', 'package', 'string', '', '.', '\0', ('a.'):rep(1e5), 'lib.\255' } do
      local ok, v = pcall(require, p)
      assert(not ok, p)
    end
    return 'ended'
  end,
}
