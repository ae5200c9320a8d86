package control

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// rung is how long each step of the shutdown ladder waits for the peer's end: 5 s for the transcript to be written, 5 s
// after the request to terminate.
const rung = 5 * time.Second

// Shutdown ends a peer: it closes its stdin, waits 5 s, terminates it, waits 5 s, kills it, and returns how it ended, as
// [Peer.Wait] tells it. The caller has cancelled what it runs, and somebody must go on reading the peer's stdout (as
// [Conn.Serve] does), or a peer that has much to say ends only by force. When ctx is done the first wait is cut short.
func Shutdown(ctx context.Context, p Peer) error {
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()

	closeErr := p.Stdin().Close()
	if err, ok := wait(ctx, ended); ok {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	termErr := p.Terminate()
	if err, ok := wait(ctx, ended); ok {
		return err
	}
	killErr := p.Kill()
	if err, ok := wait(ctx, ended); ok {
		return err
	}
	return fmt.Errorf("the CLI does not end: %w", errors.Join(closeErr, termErr, killErr, errUndead))
}

var errUndead = errors.New("it was killed and has not ended")

// wait waits one rung for the end; ok is false when it did not come.
func wait(ctx context.Context, ended <-chan error) (err error, ok bool) {
	t := time.NewTimer(rung)
	defer t.Stop()
	select {
	case err := <-ended:
		return err, true
	case <-ctx.Done():
	case <-t.C:
	}
	select {
	case err := <-ended:
		return err, true
	default:
		return nil, false
	}
}
