-- A default that is two to the fortieth times one table.
-- want: load error|result|error
local t = { 1 }
for i = 1, 40 do t = { t, t } end
return tool{ description = "Tries to harm its host.", input = { a = param.any("x", { default = t }) }, run = function(args) return "ran" end }
