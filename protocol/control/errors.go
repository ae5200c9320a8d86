package control

import "errors"

var (
	// ErrClosed says that the CLI has ended, or closed its end of the connection.
	ErrClosed = errors.New("the connection to the CLI is closed")

	// ErrTimeout says that the CLI did not answer a request of ours in time. CLI 2.1.33 never answers a request that it
	// does not know.
	ErrTimeout = errors.New("the CLI did not answer in time")

	// ErrCancelled is the cause of the context of a call that the CLI has cancelled.
	ErrCancelled = errors.New("the CLI cancelled the call")
)

// RequestError is the CLI's error answer to a request of ours.
type RequestError struct {
	Subtype string // of our request
	Text    string
	Code    string // newer CLIs only
}

func (e *RequestError) Error() string {
	if e.Text == "" {
		return e.Subtype + ": the CLI answered with an error"
	}
	return e.Subtype + ": " + e.Text
}
