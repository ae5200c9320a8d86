package rehearsal

import "time"

// Options says how the agent behaves. The zero value is a current CLI, started with
// --replay-user-messages, that calls what the prompt says.
type Options struct {
	// Old makes the agent behave like CLI 2.1.33: it shakes hands at the first prompt, exits on
	// lines it does not know, leaves unknown requests unanswered, denies an allow without updatedInput,
	// ignores tools/list_changed, and sends error_… results with is_error false and exit code 0.
	Old bool
	// Version is what the handshake and system/init tell; empty: 2.1.33 when Old, else 2.1.330.
	Version string
	// Dir is the cwd of system/init; empty: the working directory.
	Dir string
	// Model and PermissionMode are those of system/init: "rehearsal" and "default" when empty.
	Model, PermissionMode string
	// MaxTurns is the number of messages with tool calls before the turn ends as error_max_turns; 0 means no limit.
	MaxTurns int

	// Script is what the agent says and calls, one Turn for each prompt, instead of what the prompt says.
	// After its last Turn every prompt is answered with a short text. Nil: the prompt is read as calls.
	Script []Turn

	// Handshake is the moment of the MCP handshake.
	Handshake Handshake
	// Parallel makes all calls of one message at the same time, the last one first. Otherwise only neighbouring
	// calls of tools with readOnlyHint run together, and the calls of a prompt run one after the other.
	Parallel bool
	// Merge says which prompts share a turn.
	Merge Merge
	// Relist says what follows tools/list_changed, and RelistDelay how long after it.
	Relist      Relist
	RelistDelay time.Duration

	// NoAsk makes calls without can_use_tool. Ask overrides it by the name the model sees (mcp__server__tool, Bash).
	NoAsk bool
	Ask   map[string]bool
	// NoReplay leaves out the echo of user lines, and the echo of the host's control_response lines that both CLIs
	// send with it.
	NoReplay bool
	// SessionState sends session_state_changed at the start and the end of a turn and around questions.
	SessionState bool
	// IgnoreInterrupt leaves an interrupt unanswered and goes on.
	IgnoreInterrupt bool

	// AuthFailed ends every turn as a CLI that is not logged in.
	AuthFailed bool
	// APIRetries is how many system/api_retry lines come before the first message of a turn; old CLIs retry in silence.
	APIRetries int

	// Noise puts a blank line, debug text, broken JSON or an array before each line.
	Noise bool
	// UnknownTypes adds messages of unknown type, subtype and block to each turn.
	UnknownTypes bool
	// UnknownRequests sends, at each turn, a request of unknown subtype, to be answered with an error, and a
	// request_user_dialog, not to be answered.
	UnknownRequests bool
	// Chunk is the largest number of bytes that one Read of Stdout returns, so that lines arrive split anywhere; 0 means no limit.
	Chunk int
	// HugeLine is the length in bytes of a line that comes after the first system/init; 0 means none.
	HugeLine int

	// Stderr are lines the process has written to stderr.
	Stderr []string
	// ExitAtOnce ends the agent with this code before it reads anything; ExitCode replaces a 0 at the normal end.
	ExitAtOnce, ExitCode int
	// Silent reads and never writes. Deaf never reads, so that a write of the host blocks until the agent ends.
	Silent, Deaf bool
	// IgnoreEOF stays when stdin is closed; IgnoreTerminate stays at [Agent.Terminate] too.
	IgnoreEOF, IgnoreTerminate bool
}

// Handshake is the moment at which an agent speaks to the declared servers.
type Handshake int

const (
	HandshakeDefault Handshake = iota // Early, or Late when Old
	HandshakeEarly                    // MCP initialize before the answer to initialize, the rest after it
	HandshakeLate                     // at the start of the first prompt's turn
	HandshakeTwice                    // both, as CLI 2.1.33 with --mcp-config and an early prompt
)

// Merge says which prompts share a turn and its result.
type Merge int

const (
	MergeDefault Merge = iota // all that wait, or when Old only those that come during a call
	MergeAll                  // all that wait when a turn starts, and those that come during a call
	MergeDuring               // those that come during a call
	MergeNever                // none: each prompt gets its own result
)

// Relist says what an agent does at tools/list_changed.
type Relist int

const (
	RelistDefault Relist = iota // RelistOnNotice, or RelistNever when Old
	RelistOnNotice
	RelistNever
)

// NoCall is the terminal_reason of the result that answers a prompt which is no call.
const NoCall = "no_call"

func (o *Options) version() string {
	switch {
	case o.Version != "":
		return o.Version
	case o.Old:
		return "2.1.33"
	}
	return "2.1.330"
}

func (o *Options) handshake() Handshake {
	switch {
	case o.Handshake != HandshakeDefault:
		return o.Handshake
	case o.Old:
		return HandshakeLate
	}
	return HandshakeEarly
}

func (o *Options) merge() Merge {
	switch {
	case o.Merge != MergeDefault:
		return o.Merge
	case o.Old:
		return MergeDuring
	}
	return MergeAll
}

func (o *Options) relist() Relist {
	switch {
	case o.Relist != RelistDefault:
		return o.Relist
	case o.Old:
		return RelistNever
	}
	return RelistOnNotice
}

func (o *Options) asks(tool string) bool {
	if ask, ok := o.Ask[tool]; ok {
		return ask
	}
	return !o.NoAsk
}
