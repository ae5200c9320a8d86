package scripts

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime is when the inode changed last. No program can set it, so it also tells of an edit that put the old times back.
func changeTime(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix())
	}
	return time.Time{}
}
