package cli

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"sync"
	"time"
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
	if err := o.failure(); err != nil {
		return 0, err
	}
	n, err := o.w.Write(p) // may block for good when nobody reads, which must not keep lost from answering
	if err != nil {
		o.mu.Lock()
		o.err = cmp.Or(o.err, err)
		o.mu.Unlock()
	}
	return n, err
}

// SetWriteDeadline ends a write that blocks, where stdout can do that.
func (o *output) SetWriteDeadline(at time.Time) error {
	if d, ok := o.w.(interface{ SetWriteDeadline(time.Time) error }); ok {
		return d.SetWriteDeadline(at)
	}
	return errors.ErrUnsupported
}

func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// lost returns why the output did not arrive, nil when it did.
func (o *output) lost() error {
	err := o.failure()
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err // "write /dev/stdout" says nothing that the message does not
	}
	return err
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
