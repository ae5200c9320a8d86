-- Two small tools in one file, in the positional form: name, description, parameters, function.
return {
  tool("add_numbers", "Add two numbers together",
    { a = param.number("First number"), b = param.number("Second number") },
    function(args)
      return args.a .. " + " .. args.b .. " = " .. args.a + args.b
    end),

  tool("reverse_string", "Reverse a string",
    { text = param.string("String to reverse") },
    function(args)
      return text.reverse(args.text)
    end),
}
