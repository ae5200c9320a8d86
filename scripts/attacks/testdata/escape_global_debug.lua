-- Reach debug by _G.
-- want: error|result "nil"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local ok, v = pcall(function() return _G.debug end)
    if ok then return tostring(rawget(_G, 'debug')) end
    return tostring(rawget(_G, 'debug'))
  end,
}
