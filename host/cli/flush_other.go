//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd || windows)

package cli

import (
	"errors"
	"os"
)

// flush cannot be done here.
func flush(*os.File) error { return errors.ErrUnsupported }
