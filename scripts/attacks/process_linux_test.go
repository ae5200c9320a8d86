package attacks

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// limitMemory bounds the address space of this process, so that an attack that gets through hurts it alone.
func limitMemory(bytes uint64) {
	if raceEnabled { // the race detector reserves terabytes
		return
	}
	limit := syscall.Rlimit{Cur: bytes, Max: bytes}
	if err := syscall.Setrlimit(syscall.RLIMIT_AS, &limit); err != nil {
		panic(err)
	}
}

// limited is a command whose address space is bounded.
func limited(bytes int64, program string, args ...string) *exec.Cmd {
	return exec.Command("sh", append([]string{"-c", fmt.Sprintf(`ulimit -v %d; exec "$0" "$@"`, bytes>>10), program}, args...)...)
}

// peakMemory is the largest resident size that an ended process had, in bytes.
func peakMemory(p *os.ProcessState) int64 {
	return p.SysUsage().(*syscall.Rusage).Maxrss << 10
}

// currentPeak is the same of a process that runs; 0 when it is not known.
func currentPeak(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	_, line, _ := bytes.Cut(status, []byte("VmHWM:"))
	var kilobytes int64
	fmt.Sscan(string(line), &kilobytes)
	return kilobytes << 10
}

// forgetPeak returns currentPeak and lets it begin anew.
func forgetPeak(pid int) int64 {
	peak := currentPeak(pid)
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", pid), []byte("5"), 0) // where this is refused the load counts too
	return peak
}
