-- A description of sixteen megabytes.
-- want: load error|result|error
return tool{ description = ("x"):rep(16e6), run = function() return "ran" end }
