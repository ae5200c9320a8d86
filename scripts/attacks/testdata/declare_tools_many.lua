-- Ten thousand tools in one file.
-- want: load error|result|error
local t = {}
for i = 1, 1e4 do t[i] = tool("t" .. i, "Tries to harm its host.", {}, function() end) end
return t
