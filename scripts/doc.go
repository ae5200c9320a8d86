// Package scripts turns a folder of Lua files into tools.
//
// A [Library] reads every *.lua file under its root and publishes the result as a [Snapshot]. Snapshots never change: a reload
// builds a new one and swaps it in, so a call that began before the swap finishes with the tools it began with.
//
// A file that fails to load never empties the shelf. Its last good tools stay, and the fault is listed by Snapshot.Problems with file,
// line and a code frame.
//
// A call runs in a Lua state that looks as if it were new: the file's top level is run again from a prototype without the
// declarations, on libraries that all states share read-only. After the call every slot that Lua can reach is compared with what it held
// before; only a state in which nothing changed serves again. A tool with keep = true has one state for all its calls instead, one
// call after the other.
//
// A call that adds two numbers takes some 1.5 µs and 17 allocations in a state that serves again or is kept, 9 µs and 61 in a new one;
// a new state costs 1.1 times a bare one of gopher-lua, with a one-tool file 1.8 times (go test -bench 'Call|State' ./scripts, on two shared cores).
//
// [Library.Watch] looks again at the files that events name, and at everything where events cannot be trusted; each [Reload] says what
// changed, tool by tool. A save reaches the report some 2 ms after the quiet time of 50 ms, with one tool in the folder or with a thousand
// (go test -bench Watch ./scripts). A version that asks for more rights than the ones before waits until they are granted.
//
// The package starts goroutines only while it loads and, for events, while it watches, and waits for them. It knows nothing of hosts, policies or sessions; what Lua sees of
// Go is luabind's affair, and what a state may do is luabind/sandbox's.
package scripts
