//go:build !linux

package attacks

import (
	"os"
	"os/exec"
)

func limitMemory(uint64) {}

func limited(_ int64, program string, args ...string) *exec.Cmd {
	return exec.Command(program, args...)
}

// peakMemory is not known here; the bound is proved on Linux.
func peakMemory(*os.ProcessState) int64 { return 0 }

func currentPeak(int) int64 { return 0 }

func forgetPeak(int) int64 { return 0 }
