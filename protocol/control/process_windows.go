package control

import (
	"os"
	"os/exec"
	"syscall"
)

// setGroup keeps a Ctrl-C of the console from the process.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminateGroup ends the process: there is no polite way to ask a program without a window.
func terminateGroup(p *os.Process) error { return p.Kill() }

func killGroup(p *os.Process) error { return p.Kill() }

func signalOf(*os.ProcessState) string { return "" }
