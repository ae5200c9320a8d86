// Package host is the embedding API: a [Host] has tools, written in Lua and in Go, and judges and serves them.
//
//	h, err := host.New(host.Options{Dir: "tools"})
//
// It serves a session with the Claude CLI ([Host.Start], [Session.Query]), any MCP client ([Host.ServeLines]) and a person's own
// calls ([Host.Call]). All of them meet at one gate: the tools of this moment are looked up, the arguments are brought into their normal form by
// the tool's schema, the [Policy] decides and a person is asked where it says so, the tool runs, and the [Observer] is told. What a tool could not do is a
// result with IsError, which the model reads; only a message that is wrong in itself, such as one for an unknown tool, is an error.
//
// From a line in to a line out, in process and validated, the call of a Lua tool with two numbers takes some 5 µs and 30 allocations on one
// core of a small server, 1 µs of it in the gate: go test ./host -run - -bench Call -benchmem.
//
// The package knows no protocol (protocol/control and protocol/mcp do) and no Lua (scripts and luabind do). A Host starts no goroutine; a
// [Session] has three beside those of the requests it answers, and [Session.Close] waits for them.
package host
