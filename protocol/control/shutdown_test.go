package control

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// stubborn is a Peer that ends some time after a step of the ladder.
type stubborn struct {
	endsOn string // "close", "terminate", "kill"; empty: never
	after  time.Duration
	start  time.Time
	steps  []string
	ended  chan struct{}
}

func (p *stubborn) step(name string) error {
	p.steps = append(p.steps, fmt.Sprintf("%s %s", name, time.Since(p.start)))
	if name == p.endsOn {
		time.AfterFunc(p.after, func() { close(p.ended) })
	}
	return nil
}

func (p *stubborn) Write(b []byte) (int, error) { return len(b), nil }
func (p *stubborn) Close() error                { return p.step("close") }
func (p *stubborn) Stdin() io.WriteCloser       { return p }
func (p *stubborn) Stdout() io.Reader           { return strings.NewReader("") }
func (p *stubborn) Terminate() error            { return p.step("terminate") }
func (p *stubborn) Kill() error                 { return p.step("kill") }
func (p *stubborn) StderrTail() string          { return "" }

var errHowItEnded = errors.New("how it ended")

func (p *stubborn) Wait() error {
	<-p.ended
	return errHowItEnded
}

func TestTheShutdownLadder(t *testing.T) {
	for _, tt := range []struct {
		name   string
		endsOn string
		after  time.Duration
		hurry  time.Duration // the context ends then; 0: never
		want   string
		took   time.Duration
	}{
		{"a CLI that ends with its stdin is left alone", "close", 4 * time.Second, 0, "[close 0s]", 4 * time.Second},
		{"one that does not is terminated after 5 s", "terminate", time.Second, 0, "[close 0s terminate 5s]", 6 * time.Second},
		{"and killed after 5 s more", "kill", 0, 0, "[close 0s terminate 5s kill 10s]", 10 * time.Second},
		{"one that is late ends on the next step", "close", 7 * time.Second, 0, "[close 0s terminate 5s]", 7 * time.Second},
		{"hurry cuts the first wait short, and no other", "kill", 0, 2 * time.Second, "[close 0s terminate 2s kill 7s]", 7 * time.Second},
		{"in a hurry it still gets the chance to end", "terminate", time.Second, -1, "[close 0s terminate 0s]", time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &stubborn{endsOn: tt.endsOn, after: tt.after, start: time.Now(), ended: make(chan struct{})}
				ctx := t.Context()
				if tt.hurry != 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.hurry)
					defer cancel()
				}
				err := Shutdown(ctx, p)
				if took := time.Since(p.start); err != errHowItEnded || fmt.Sprint(p.steps) != tt.want || took != tt.took {
					t.Errorf("Shutdown = %v, steps %v in %s; want %s in %s", err, p.steps, took, tt.want, tt.took)
				}
			})
		})
	}
}

func TestShutdownGivesUpOnWhatCannotBeKilled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &stubborn{start: time.Now(), ended: make(chan struct{})}
		err := Shutdown(t.Context(), p)
		if err == nil || time.Since(p.start) != 15*time.Second {
			t.Errorf("Shutdown = %v after %s, want an error after 15s", err, time.Since(p.start))
		}
		close(p.ended)
	})
}

func TestShutdownOfWhatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &stubborn{start: time.Now(), ended: make(chan struct{})}
		close(p.ended)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		synctest.Wait()
		if err := Shutdown(ctx, p); err != errHowItEnded {
			t.Errorf("Shutdown = %v", err)
		}
	})
}
