package scripts

import (
	"testing"
	"testing/synctest"
	"time"
)

// changesAt plays changes at times of a bubble, and returns when the bursts were over, and how many changes each had.
func changesAt(c *calm, times []time.Duration) (over []time.Duration, counts []int) {
	began, n := time.Now(), 0
	in := make(chan bool)
	go func() {
		defer close(in)
		for _, at := range times {
			time.Sleep(time.Until(began.Add(at)))
			in <- true
		}
	}()
	changes := in
	for changes != nil || n > 0 {
		select {
		case _, ok := <-changes:
			if !ok {
				changes = nil
				continue
			}
			c.touch()
			n++
		case <-c.over():
			c.next()
			over, counts = append(over, time.Since(began)), append(counts, n)
			n = 0
		}
	}
	return over, counts
}

func TestQuietTime(t *testing.T) {
	const ms = time.Millisecond
	every := func(step, until time.Duration) (list []time.Duration) {
		for at := step; at <= until; at += step {
			list = append(list, at)
		}
		return list
	}
	for _, tt := range []struct {
		name   string
		quiet  time.Duration
		times  []time.Duration
		over   []time.Duration
		counts []int
	}{
		{"one change", 0, []time.Duration{10 * ms}, []time.Duration{60 * ms}, []int{1}},
		{"many changes, one reload, 50 ms after the last", 0, every(7*ms, 70*ms), []time.Duration{120 * ms}, []int{10}},
		{"a pause makes two", 0, []time.Duration{10 * ms, 40 * ms, 95 * ms}, []time.Duration{90 * ms, 145 * ms}, []int{2, 1}},
		{"a stream without a pause is cut after 500 ms", 0, every(30*ms, 1200*ms), []time.Duration{530 * ms, 1040 * ms, 1250 * ms}, []int{17, 17, 6}},
		{"another quiet time", 200 * ms, every(150*ms, 3000*ms), []time.Duration{2150 * ms, 3200 * ms}, []int{14, 6}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				over, counts := changesAt(newCalm(tt.quiet), tt.times)
				if len(over) != len(tt.over) {
					t.Fatalf("over at %v with %v changes, want %v with %v", over, counts, tt.over, tt.counts)
				}
				for i := range over {
					if over[i] != tt.over[i] || counts[i] != tt.counts[i] {
						t.Errorf("over at %v with %v changes, want %v with %v", over, counts, tt.over, tt.counts)
						break
					}
				}
			})
		})
	}
}
