//go:build unix

package sqldb

import (
	"crypto/tls"
	"net"
	"syscall"
)

// readable reports whether a read from the socket of c would return at once: something has arrived, or
// the connection is closed. It reads nothing and does not wait.
func readable(c net.Conn) bool {
	if secure, ok := c.(*tls.Conn); ok {
		c = secure.NetConn()
	}

	socket, ok := c.(syscall.Conn)
	if !ok {
		return false
	}

	raw, err := socket.SyscallConn()
	if err != nil {
		return true
	}

	var nothing bool
	err = raw.Control(func(fd uintptr) { // Read would wait for a read that the driver has begun
		_, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK)
		nothing = err == syscall.EAGAIN
	})
	return err != nil || !nothing
}
