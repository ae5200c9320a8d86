-- A field of json.null.
-- want: result "false nil"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local ok = pcall(function() json.null.x = 1 end)
    local ok2, v = pcall(function() return json.null.x end)
    return tostring(ok) .. ' ' .. (ok2 and tostring(v) or 'nil')
  end,
}
