-- A file that returns something with hostile metamethods.
-- want: load error
return setmetatable({}, { __index = function() while true do end end, __len = function() return 1e9 end, __tostring = function() while true do end end })
