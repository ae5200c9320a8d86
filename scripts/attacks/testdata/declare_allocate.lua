-- As much memory as can be had while the file is loaded.
-- want: load error
local all = {}
while true do
  local t = {}
  t[1048575] = 1
  all[#all + 1] = t
end
