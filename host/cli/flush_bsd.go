//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package cli

import (
	"os"

	"golang.org/x/sys/unix"
)

// flush throws away what was typed at a terminal and not read yet.
func flush(f *os.File) error {
	const input = 1 // FREAD
	return unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCFLUSH, input)
}
