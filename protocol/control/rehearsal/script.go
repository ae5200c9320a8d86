package rehearsal

import "encoding/json"

// A Turn is what the agent does for one prompt, or for several that share a turn.
type Turn struct {
	Steps []Step
	// Ending is how it ends; nil: a success with the text of the last step.
	Ending *Ending
	// Die ends the process after the steps, with this exit code and no result; 0 means it lives on.
	Die int
}

// A Step is one message of the agent. Its calls are made before the next step.
type Step struct {
	// Lines are written as they are before anything else of the step, one JSON text each.
	Lines []string
	// When holds the step back until it can be received from (or is closed); nil: at once.
	When <-chan struct{}
	// Text and Calls become one line each. $RESULT in the text is replaced by the text of the last result.
	Text  string
	Calls []ToolUse
}

// A ToolUse is one call of a [Step].
type ToolUse struct {
	Name  string // as the model sees it: mcp__server__tool, or a tool of the CLI such as Bash, which is asked about and not run
	Input string // a JSON object; empty: {}
	ID    string // empty: made up

	// Withdraw, when it can be received from, withdraws the open permission question by control_cancel_request.
	Withdraw <-chan struct{}
	// Cancel, when it can be received from, cancels the running call by notifications/cancelled.
	Cancel <-chan struct{}
}

// An Ending is the result of a turn. What old and current CLIs do differently (is_error, errors, the exit
// code) follows from the subtype.
type Ending struct {
	Subtype        string // "success" when empty, or an error_… one
	IsError        bool   // of a success
	Text           string
	Errors         []string // of an error_… subtype of current CLIs
	APIErrorStatus int
	TerminalReason string
}

func (u *ToolUse) input() json.RawMessage {
	if u.Input == "" {
		return json.RawMessage("{}")
	}
	return json.RawMessage(u.Input)
}
