package a2aclient

import (
	"context"
	"net"
	"sync"
	"sync/atomic"

	"rialto/a2a"
)

// conns dials and bounds the open connections. http.Transport.MaxConnsPerHost would let a
// call wait for a free one for as long as its caller does.
type conns struct {
	most   int64 // 0 is no bound
	dialer net.Dialer
	open   atomic.Int64
}

// dial is what http.Transport calls if no idle connection is left.
func (l *conns) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if n := l.open.Add(1); l.most > 0 && n > l.most {
		l.open.Add(-1)
		e := a2a.Errorf(a2a.Unavailable, "no answer from the agent at %s: all %d connections to it are in use (limits.connections_per_agent)", address, l.most)
		e.NotSent = true
		return nil, e
	}
	c, err := l.dialer.DialContext(ctx, network, address)
	if err != nil {
		l.open.Add(-1)
		return nil, err
	}
	return &conn{c, sync.OnceFunc(func() { l.open.Add(-1) })}, nil
}

// conn is a connection that is counted until it is closed.
type conn struct {
	net.Conn
	closed func()
}

func (c *conn) Close() error {
	c.closed()
	return c.Conn.Close()
}
