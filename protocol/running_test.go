package protocol

import (
	"context"
	"errors"
	"sync"
	"testing"
)

func TestRunning(t *testing.T) {
	stop := errors.New("stop")
	t.Run("a cancel reaches its call, with its cause", func(t *testing.T) {
		var r Running
		a, endA := r.Begin(t.Context(), "1")
		b, endB := r.Begin(t.Context(), "2")
		defer endA()
		defer endB()
		if !r.Cancel("1", stop) {
			t.Error("Cancel found no call")
		}
		if context.Cause(a) != stop || b.Err() != nil {
			t.Errorf("causes = %v, %v; want %v and none", context.Cause(a), context.Cause(b), stop)
		}
	})
	t.Run("a cancel that comes before the call runs is not lost", func(t *testing.T) {
		var r Running
		ctx, end := r.Begin(t.Context(), "1")
		defer end()
		r.Cancel("1", stop)
		if ctx.Err() == nil {
			t.Error("the call would run")
		}
	})
	t.Run("an id used twice names both calls", func(t *testing.T) {
		var r Running
		a, endA := r.Begin(t.Context(), "1")
		b, endB := r.Begin(t.Context(), "1")
		c, endC := r.Begin(t.Context(), "1")
		defer endA()
		defer endC()
		endB()
		if !r.Cancel("1", stop) || context.Cause(a) != stop || context.Cause(c) != stop {
			t.Errorf("causes = %v, %v; want %v", context.Cause(a), context.Cause(c), stop)
		}
		if context.Cause(b) == stop {
			t.Error("the call that had ended was cancelled")
		}
	})
	t.Run("an ended call is not found", func(t *testing.T) {
		var r Running
		ctx, end := r.Begin(t.Context(), "1")
		end()
		end()
		if r.Cancel("1", stop) || len(r.calls) != 0 {
			t.Errorf("the table still holds %d", len(r.calls))
		}
		if ctx.Err() == nil {
			t.Error("the context of an ended call still runs")
		}
	})
	t.Run("an unknown id is no call", func(t *testing.T) {
		var r Running
		if r.Cancel("1", stop) {
			t.Error("Cancel found a call")
		}
	})
	t.Run("calls begin, end and are cancelled at once", func(t *testing.T) {
		var r Running
		var wg sync.WaitGroup
		for i := range 100 {
			key := string(rune('a' + i%3))
			wg.Go(func() {
				_, end := r.Begin(t.Context(), key)
				end()
			})
			wg.Go(func() { r.Cancel(key, stop) })
		}
		wg.Wait()
		if len(r.calls) != 0 {
			t.Errorf("%d calls are left", len(r.calls))
		}
	})
}

func BenchmarkRunning(b *testing.B) {
	var r Running
	b.ReportAllocs()
	for b.Loop() {
		_, end := r.Begin(b.Context(), "17")
		end()
	}
}
