-- Reach io by _G.
-- want: error|result "nil"
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local ok, v = pcall(function() return _G.io end)
    if ok then return tostring(rawget(_G, 'io')) end
    return tostring(rawget(_G, 'io'))
  end,
}
