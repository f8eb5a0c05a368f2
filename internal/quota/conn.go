package quota

import "net"

// Conn is a connection that counts until it is closed.
type Conn struct {
	net.Conn
	Release func() // of Count.Acquire
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	c.Release()
	return c.Conn.Close()
}
