-- Meta data that is two to the fortieth times one table.
-- want: load error|result|error
local t = { 1 }
for i = 1, 40 do t = { t, t } end
return tool{ description = "Tries to harm its host.", meta = { x = t }, annotations = { x = t }, run = function(args) return "ran" end }
