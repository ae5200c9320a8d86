package cli

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// signals returns a context that SIGINT and SIGTERM cancel, and a func that tells the exit code they ask for: 0 when none came.
// A second signal ends the process at once.
func signals(parent context.Context) (ctx context.Context, stop func(), code func() int) {
	ctx, cancel := context.WithCancel(parent)
	var got atomic.Int32
	ch := make(chan os.Signal, 2)
	done := make(chan struct{})
	signal.Notify(ch, os.Interrupt, syscall.SIGTERM)
	go func() {
		for {
			select {
			case <-done:
				return
			case s := <-ch:
				exit := int32(exitInterrupted)
				if s == syscall.SIGTERM {
					exit = exitTerminated
				}
				if !got.CompareAndSwap(0, exit) {
					os.Exit(int(exit))
				}
				cancel()
			}
		}
	}()
	stop = func() {
		signal.Stop(ch)
		close(done)
		cancel()
	}
	return ctx, stop, func() int { return int(got.Load()) }
}
