//go:build unix

package directhttp

import "syscall"

// canPeek is whether quiet can tell.
const canPeek = true

// quiet reports whether a connection is open and nothing has come that nobody has
// read. Between two calls a peer has nothing to say but that it closes.
func quiet(raw syscall.RawConn) bool {
	if raw == nil {
		return false
	}
	waiting := false
	err := raw.Control(func(fd uintptr) {
		var b [1]byte
		_, _, err := syscall.Recvfrom(int(fd), b[:], syscall.MSG_PEEK) // does not wait: Go's sockets never do
		waiting = err == syscall.EAGAIN
	})
	return err == nil && waiting
}
