package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// flush throws away what was typed at a console and not read yet.
func flush(f *os.File) error { return windows.FlushConsoleInputBuffer(windows.Handle(f.Fd())) }
