-- Greet someone, or refuse to.
return {
  tool("greet", "Greet someone by name", { name = "string" }, function(args)
    return "Hello, " .. args.name .. "! Welcome."
  end),

  tool("refuse", "Fails, for the sake of its error", {}, function()
    return nil, "no greetings today"
  end),
}
