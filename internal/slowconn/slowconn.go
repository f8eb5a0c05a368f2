// Package slowconn bounds the cost of slow peers of a TCP server: it closes connections whose peer does
// not read, and lets a peer that is still sending read the last answer. It knows no HTTP: what the
// peer of a request may do is for its server.
package slowconn

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// The limits of a connection.
const (
	WriteTimeout = 30 * time.Second // for the peer to take the next Piece bytes
	Piece        = 64 << 10
	unreadTime   = 10 * time.Second // for a peer that still sends when its connection is closed
	unreadBytes  = 64 << 20         // that are taken from it meanwhile
	unreadRate   = 32 << 20         // bytes a second that are taken from all such peers of a listener
	unreadConns  = 256              // such peers at one time; the connections of others are closed at once
)

// Listener closes connections whose peers do not read. It lets those that are still
// sending read the last answer.
type Listener struct {
	net.Listener
	unread *unread
}

// unread is what peers still send when their connections are closed.
type unread struct {
	conns atomic.Int64
	rate  *rate.Limiter
}

// NewListener returns a Listener that accepts the connections of l.
func NewListener(l net.Listener) Listener {
	return Listener{Listener: l, unread: &unread{rate: rate.NewLimiter(unreadRate, unreadRate)}}
}

// Accept implements net.Listener.
func (l Listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, unread: l.unread}, nil
}

// conn is a connection whose writes fail if the peer does not take the next piece in time.
type conn struct {
	net.Conn
	unread  *unread
	ended   atomic.Bool // the peer sends no more, or does not read
	closing atomic.Bool
}

// Read implements net.Conn.
func (c *conn) Read(p []byte) (int, error) {
	if c.closing.Load() {
		return 0, net.ErrClosed
	}
	n, err := c.Conn.Read(p)
	if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		c.ended.Store(true)
	}
	return n, err
}

// Write implements net.Conn.
func (c *conn) Write(p []byte) (written int, err error) {
	for err == nil && written < len(p) {
		_ = c.SetWriteDeadline(time.Now().Add(WriteTimeout))
		var n int
		n, err = c.Conn.Write(p[written:min(len(p), written+Piece)])
		written += n
	}
	if err != nil {
		c.ended.Store(true)
	}
	return written, err
}

// Close implements net.Conn. If bytes came after it, the system would reset the connection, and the
// peer would lose the last answer. So it closes in stages (RFC 9112 section 9.6): our direction at
// once, and the other when the peer closes it, or has had its time.
func (c *conn) Close() error {
	tcp, ok := c.Conn.(interface{ CloseWrite() error })
	again := c.closing.Swap(true)
	if again || c.ended.Load() || !ok || tcp.CloseWrite() != nil {
		return c.Conn.Close()
	}
	if c.unread.conns.Add(1) > unreadConns {
		c.unread.conns.Add(-1)
		return c.Conn.Close()
	}

	go c.discardUnread()
	return nil
}

// discardUnread takes what the peer still sends, until it has read the last answer and stops. All such
// peers share a rate, because a peer that does not stop can send faster than the program answers others.
func (c *conn) discardUnread() {
	defer c.unread.conns.Add(-1)
	defer c.Conn.Close()
	ctx, cancel := context.WithTimeout(context.Background(), unreadTime)
	defer cancel()
	_ = c.SetReadDeadline(time.Now().Add(unreadTime))

	for range unreadBytes / Piece {
		_, err := io.CopyN(io.Discard, c.Conn, Piece) // it holds no buffer while it waits for its turn
		if err != nil || c.unread.rate.WaitN(ctx, Piece) != nil {
			return
		}
	}
}
