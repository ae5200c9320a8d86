package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/luatools/luatools/protocol"
	"github.com/luatools/luatools/scripts"
)

// told is a Notifier that tells when it was called.
type told chan time.Time

func (c told) Notify(string, protocol.Appender) error {
	c <- time.Now()
	return nil
}

// BenchmarkSaveToNotice times the way from a saved file to the notice that a client gets, with so many tools in the folder: the quiet time of 50 ms, the
// reload, and the encoding of the list. It reports the median and the 99th percentile.
func BenchmarkSaveToNotice(b *testing.B) {
	for _, n := range []int{1, 100, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			files := map[string]string{}
			for i := range n {
				files[fmt.Sprintf("f%d.lua", i)] = saysLua("the same")
			}
			dir := folder(b, files)
			h := newHost(b, Options{Dir: dir})
			v := &plainView{h: h, from: &caller{}}
			notices := make(told, 1)
			f := newFollower(nil)
			f.loop = func(ctx context.Context) { v.follow(ctx, f.slot, notices) }
			h.followers.add(f)
			ctx, cancel := context.WithCancel(b.Context())
			ended := make(chan error)
			go func() { ended <- h.Watch(ctx, scripts.WatchOptions{}, nil) }()
			v.ToolList()
			save := func(i int) time.Duration {
				began := time.Now()
				source := fmt.Sprintf(`return tool{ description = "Another one, %d.", run = function() return "" end }`, i)
				if err := os.WriteFile(filepath.Join(dir, "f0.lua"), []byte(source), 0o644); err != nil {
					b.Fatal(err)
				}
				return (<-notices).Sub(began)
			}
			save(-1) // once Watch is ready, all of this is noticed
			var took []time.Duration
			for i := 0; b.Loop(); i++ {
				took = append(took, save(i))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "ms-median")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "ms-p99")
			cancel()
			if err := <-ended; err != nil {
				b.Error(err)
			}
			h.followers.drop(f)
			f.end()
		})
	}
}
