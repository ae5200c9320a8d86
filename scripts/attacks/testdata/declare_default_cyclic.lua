-- A default that holds itself.
-- want: load error
local t = {}
t.t = t
return tool{ description = "Tries to harm its host.", input = { a = param.any("x", { default = t }) }, run = function(args) return "ran" end }
