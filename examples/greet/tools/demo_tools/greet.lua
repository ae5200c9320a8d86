-- Say hello: the smallest useful tool.
return tool{
  description = "Greet someone by name",
  input = { name = "string" },

  run = function(args)
    return "Hello, " .. args.name .. "! Welcome."
  end,
}
