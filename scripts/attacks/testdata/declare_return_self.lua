-- A file that returns itself in itself.
-- want: load error
local t = {}
t[1] = t
return t
