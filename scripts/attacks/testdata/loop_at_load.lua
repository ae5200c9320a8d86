-- A file whose top level never ends.
-- want: load error
while true do end
return tool("x", "Never gets here.", {}, function() end)
