// Package control is the SDK side of the Claude CLI's control protocol: newline-delimited JSON over the CLI's stdin and
// stdout, where requests go both ways between the lines of the conversation.
//
// A [Command] says how the CLI is started, [Start] starts it as a [Peer], and a [Conn] talks with any peer. [Conn.Serve]
// reads: what the CLI asks (an MCP message, a permission question, a hook) goes to the [Handler], its answers go to the
// requests of ours that wait, and every other line goes to [Handler.Message] as it is. So the one thing to know is that
// Serve must run before a request of ours can be answered, and that it must go on running meanwhile: CLIs ask for the
// tools before they answer initialize.
//
// An [Ending] follows the messages and tells when the CLI's stdin may be closed without harm, [Shutdown] closes it and
// ends what does not end by itself. [Probe] asks a CLI for its version; the one table of differences between versions is
// in version.go.
//
// One tools/call of 300 bytes, from the line read to the answer written, costs 3.1 µs and 11 allocations beside the tool's
// own work: 1.2 µs and 2 for decoding, 0.2 µs for encoding, the rest for its goroutine and context (BenchmarkCall).
//
// The package knows nothing of tools or MCP methods, except that a notification wants an acknowledgement and that
// notifications/cancelled cancels a call. Goroutines: one for each request that Serve has in work (Serve waits for them),
// and two for each process (one waits for its end, one reads its stderr; both end with it).
package control
