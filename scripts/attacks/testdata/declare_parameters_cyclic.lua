-- Parameters that hold themselves.
-- want: load error
local t = {}
t.t = t
return tool{ description = "Tries to harm its host.", input = t, run = function(args) return "ran" end }
