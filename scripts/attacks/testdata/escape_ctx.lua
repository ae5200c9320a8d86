-- Use of ctx as something else.
-- want: result "ended"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    for _, f in pairs{ rawset, rawget, setmetatable, getmetatable, next, pairs, table.insert, json.encode, tostring, unpack } do pcall(f, ctx, 'tool', 'owned') end
    pcall(function() ctx.tool = 'owned' end)
    pcall(function() ctx.progress = error end)
    pcall(ctx.progress, {}, {})
    pcall(ctx.progress, link{ uri = 'file:///x' }, {})
    pcall(ctx.sleep, nil, 1)
    assert(ctx.tool == 'escape_ctx')
    return 'ended'
  end,
}
