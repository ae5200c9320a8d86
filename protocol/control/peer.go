package control

import "io"

// Peer is the other end: a process, or an agent in memory.
type Peer interface {
	Stdin() io.WriteCloser // closing it twice is harmless
	Stdout() io.Reader     // ends when the peer has ended, whoever else may hold the pipe
	Wait() error           // blocks until the peer has ended and tells how; may be called by several, and again
	Terminate() error      // asks it to end; nil when it has ended
	Kill() error           // ends it; nil when it has ended
	StderrTail() string    // the last 16 KiB of its stderr
}
