package cli

import (
	"errors"
	"io"
	"io/fs"
	"sync"
)

// output is stdout. It remembers the first write that failed, so that a command whose result did not arrive cannot end as if it had.
// It is safe for concurrent use.
type output struct {
	w io.Writer

	mu  sync.Mutex
	err error
}

// Write implements io.Writer. After the first failure it writes nothing more and returns that failure.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(p)
	o.err = err
	return n, err
}

// lost returns why the output did not arrive, nil when it did.
func (o *output) lost() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	var at *fs.PathError
	if errors.As(o.err, &at) {
		return at.Err // "write /dev/stdout" says nothing that the message does not
	}
	return o.err
}

// delivered turns the exit code of a command into that of the invocation: success counts only when its output arrived.
func (a *app) delivered(o *output, code int) int {
	err := o.lost()
	if err == nil {
		return code
	}
	a.sayf("error: the output could not be written: %s", err)
	if code == exitOK {
		return exitFailed
	}
	return code
}
