package scripts

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// manyTools is an archive of n one-tool files in ten folders.
func manyTools(n int) string {
	var archive strings.Builder
	for i := range n {
		fmt.Fprintf(&archive, "-- s%d/t%d.lua --\n%s", i%10, i, saying("x"))
	}
	return archive.String()
}

// BenchmarkWatch times one save of a file until changed is called, the quiet time of 50 ms included, and of that the reload itself. The other
// files of the folder do not change.
func BenchmarkWatch(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := filepath.Join(b.TempDir(), "tools")
			write(b, dir, manyTools(n))
			l, err := Open(dir, Options{})
			if err != nil {
				b.Fatal(err)
			}
			defer l.Close()
			ctx, cancel := context.WithCancel(context.Background())
			done, reports := make(chan error), make(chan *Reload)
			go func() { done <- l.Watch(ctx, WatchOptions{}, func(r *Reload) { reports <- r }) }()
			defer func() {
				cancel()
				<-done
			}()
			write(b, dir, "-- s0/t0.lua --\n"+saying("ready"))
			<-reports
			var whole, took []time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				began := time.Now()
				write(b, dir, "-- s0/t0.lua --\n"+saying(fmt.Sprint(i)))
				r := <-reports
				whole, took = append(whole, time.Since(began)), append(took, r.Took)
			}
			b.ReportMetric(at(whole, 0.5), "ms-median")
			b.ReportMetric(at(whole, 0.99), "ms-p99")
			b.ReportMetric(at(took, 0.5), "ms-reload-median")
			b.ReportMetric(at(took, 0.99), "ms-reload-p99")
		})
	}
}

// at is a quantile in milliseconds.
func at(times []time.Duration, q float64) float64 {
	slices.Sort(times)
	return float64(times[min(int(q*float64(len(times))), len(times)-1)]) / float64(time.Millisecond)
}

// BenchmarkRescan times a look at all files, of which one changed: what the host does after a call that may have written.
func BenchmarkRescan(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l, dir := openArchive(b, manyTools(n), Options{})
			for _, s := range l.shelf.found.sources {
				s.stamp.settled = true // as they are some seconds after they were written
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				write(b, dir, "-- s0/t0.lua --\n"+saying(fmt.Sprint(i)))
				r, err := l.Rescan(b.Context())
				if err != nil || len(r.Changes) != 1 {
					b.Fatal(r, err)
				}
			}
		})
	}
}
