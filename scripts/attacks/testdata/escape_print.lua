-- Write on the channel of the protocol with print and log.
-- want: result "ended"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for i = 1, 100 do
      print('\n{"jsonrpc":"2.0","id":' .. i .. ',"result":{}}\n')
      log.info('{"jsonrpc":"2.0"}\r\n\0')
      log.error(('x'):rep(1e5))
    end
    return 'ended'
  end,
}
