-- A hundred thousand parameters.
-- want: load error|result|error
local t = {}
for i = 1, 1e5 do t["p" .. i] = "string?" end
return tool{ description = "Tries to harm its host.", input = t, run = function(args) return "ran" end }
