package a2aclient

import (
	"cmp"
	"context"
	"net"

	"rialto/a2a"
	"rialto/internal/quota"
)

// conns dials and bounds the open connections. http.Transport.MaxConnsPerHost would let a
// call wait for a free one for as long as its caller does.
type conns struct {
	most   int // 0 is no bound
	dialer net.Dialer
	open   quota.Count
}

// dial is what http.Transport calls if no idle connection is left.
func (l *conns) dial(ctx context.Context, network, address string) (net.Conn, error) {
	release, refused := l.open.Acquire("", quota.Unlimited, cmp.Or(l.most, quota.Unlimited))
	if refused != nil {
		e := a2a.Errorf(
			a2a.Unavailable,
			"no answer from the agent at %s: all %d connections to it are in use (limits.connections_per_agent)",
			address,
			l.most,
		)
		e.NotSent = true
		return nil, e
	}

	c, err := l.dialer.DialContext(ctx, network, address)
	if err != nil {
		release()
		return nil, err
	}

	return &quota.Conn{Conn: c, Release: release}, nil
}
