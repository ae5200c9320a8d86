package scripts

import "time"

// defaultQuiet is how long nothing must change before a reload.
const defaultQuiet = 50 * time.Millisecond

// calm tells when a burst of changes is over: when none came for a while, or when the burst lasts too long for that. It has one user.
type calm struct {
	quiet time.Duration // without a change
	most  time.Duration // after the first change of a burst

	first time.Time // of the burst; zero between bursts
	timer *time.Timer
}

func newCalm(quiet time.Duration) *calm {
	if quiet <= 0 {
		quiet = defaultQuiet
	}
	return &calm{quiet: quiet, most: 10 * quiet}
}

// touch is called for each change.
func (c *calm) touch() {
	if c.first.IsZero() {
		c.first = time.Now()
	}
	wait := min(c.quiet, time.Until(c.first.Add(c.most)))
	if c.timer == nil {
		c.timer = time.NewTimer(wait)
		return
	}
	c.timer.Reset(wait)
}

// over gives one value when the burst is over; next must follow.
func (c *calm) over() <-chan time.Time {
	if c.timer == nil {
		return nil
	}
	return c.timer.C
}

// next makes ready for the next burst.
func (c *calm) next() {
	c.first = time.Time{}
	if c.timer != nil {
		c.timer.Stop()
	}
}
