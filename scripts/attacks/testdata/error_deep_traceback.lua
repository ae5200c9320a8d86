-- An error under two hundred frames of long names.
-- want: error|limit
return tool{
  description = "Tries to harm its host.",
  run = function(args, ctx)
    local function f_very_long_name_of_a_function_that_is_long(n) if n == 0 then local x; x() end return 1 + f_very_long_name_of_a_function_that_is_long(n - 1) end
    f_very_long_name_of_a_function_that_is_long(150)
  end,
}
