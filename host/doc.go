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
// [Host.Watch] follows edits of the folder. A call that began finishes with the tools it began with; sessions and clients are told when the list that
// they know is no longer the list, and the CLI in the way that its version understands (relist.go), so that the model has a changed tool with its next
// request, or with the next turn where the CLI does not list within one. From the saved file to the notice it takes 51 ms with one tool in the folder and 55 ms
// with 1,000, 50 ms of them the quiet time: go test ./host -run - -bench SaveToNotice.
//
// The package knows no protocol (protocol/control and protocol/mcp do) and no Lua (scripts and luabind do). A Host starts no goroutine; a
// [Session] has three beside those of the requests it answers, and one more from the first change of the tools on; [Session.Close] waits for them.
package host
