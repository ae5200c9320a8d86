// Package luabind is what Lua sees of Go: tool{…} and the parameters it declares, the values a tool may return, ctx, and the modules.
//
// A file's top level runs once in mode Loading, where tool{…} checks every field and writes the JSON Schemas ([Definition]), and
// again in mode Lean before a call, where it keeps only the functions ([Tools] gives both). A call decodes its arguments with
// package luajson, runs the tool with a ctx ([NewContext]) and makes a result of what came back ([Result]).
//
// All functions and metatables are made once and shared by all Lua states; none keeps anything of a call. They find the call that
// runs by [sandbox.CallOf], and what the host knows of it by the [CallInfo] in its Data. Values that scripts hold, such as tools,
// parameters, images and ctx, are userdata that cannot be opened or changed.
//
// Errors for a misuse name the function and what came: "text.reverse: want a string, got nil". Errors of tool{…} name the tool and put
// the field or property in single quotes, by which package scripts finds its line:
//
//	tool "deploy": input: property 'env': unknown type "strng" (did you mean 'string'?)
//
// The package starts no goroutine and does nothing outside the process.
package luabind
