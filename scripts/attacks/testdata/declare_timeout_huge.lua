-- A timeout of a thousand years.
-- want: load error|timeout|result
return tool{ description = "Tries to harm its host.", timeout = "8760000h", run = function() while true do end end }
