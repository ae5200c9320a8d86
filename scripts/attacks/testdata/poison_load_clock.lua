-- The clock while the file is loaded.
-- want: load error
local now = os.time()
return tool{ description = "Tries to freeze the clock.", run = function() return now end }
