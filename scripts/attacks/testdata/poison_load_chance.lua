-- Chance while the file is loaded.
-- want: load error
local n = math.random()
return tool{ description = "Tries to freeze chance.", run = function() return n end }
