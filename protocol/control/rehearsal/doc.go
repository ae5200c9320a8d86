// Package rehearsal is the other end of the control protocol: an agent without a
// model that speaks the Claude CLI's side of it, in memory.
//
// An [Agent] is a [control.Peer], so a session can be started with it in place of a
// process. It shakes hands with every declared server, asks permission, makes calls and
// ends each turn with a result, as the CLI does. A prompt whose lines are all calls
// (`greet name=Alice`, `db/query {"sql":"…"}`) makes them in order and is answered with
// their texts, one below the other; a call that failed makes the result an error, and a
// call that was denied puts it into permission_denials. Any other prompt is answered
// with what can be called, and its result has the terminal_reason [NoCall].
//
// The same agent is the fake CLI of the tests. [Options] makes it old or current, early
// or late with its handshake, noisy, deaf, dying, parallel; a Script puts words and calls
// into its mouth. It judges the host all the while: [Agent.Problems] lists every request
// that was not answered exactly once and in the nested form, and every line a real CLI
// would have ended on.
//
// It reads the host's lines with its own code, not with the reader it is there to test.
//
// [Start] starts the goroutines: one reads the host's lines, one holds the conversation,
// and one more runs for each server's handshake, each call made at the same time as
// others, and each cancellation that waits. [Agent.Wait] returns when all have ended.
package rehearsal
