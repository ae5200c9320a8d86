-- Reach getfenv by _G.
-- want: error|result "nil"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local ok, v = pcall(function() return _G.getfenv end)
    if ok then return tostring(rawget(_G, 'getfenv')) end
    return tostring(rawget(_G, 'getfenv'))
  end,
}
