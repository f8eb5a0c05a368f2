package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	watchInterval = time.Second     // between two probes
	watchTimeout  = 5 * time.Second // for the answer to a probe
	silentFor     = 2 * time.Second // time without a byte from PostgreSQL before connections are closed
)

// errNoAnswer says why no connection is made.
var errNoAnswer = errors.New("the database does not answer: the network may be cut")

// link watches the connections of a DB to PostgreSQL. When the network is cut, the operating system
// closes connections only after minutes, and statements would wait for that. link sends a probe on a
// connection of its own. If the probe is not answered and all other connections are silent, link
// closes them and refuses new ones until a probe is answered.
type link struct {
	probe    *sql.DB
	lastRead atomic.Int64 // nanoseconds of Unix time; the last byte from PostgreSQL on one of conns
	stop     context.CancelFunc
	done     chan struct{} // closed when watch has returned

	mu    sync.Mutex
	cut   bool
	conns map[*linkedConn]struct{}
}

// newLink starts to watch the connections to dsn. The caller closes it.
func newLink(dsn string) (*link, error) {
	probe, err := postgresPool(dsn, 1, nil)
	if err != nil {
		return nil, err
	}

	ctx, stop := context.WithCancel(context.Background())
	l := &link{
		probe: probe.DB,
		stop:  stop,
		done:  make(chan struct{}),
		conns: map[*linkedConn]struct{}{},
	}
	go l.watch(ctx)
	return l, nil
}

func (l *link) watch(ctx context.Context) {
	defer close(l.done)
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		probing, cancel := context.WithTimeout(ctx, watchTimeout)
		_, err := l.probe.ExecContext(probing, `SELECT 1`)
		timedOut := err != nil && probing.Err() != nil && ctx.Err() == nil
		l.setCut(timedOut && l.silent())
		cancel()
	}
}

// silent reports whether no connection has read anything from PostgreSQL for silentFor. A busy server,
// or a pooler in front of it, may delay the probe while it answers other connections.
func (l *link) silent() bool { return time.Since(time.Unix(0, l.lastRead.Load())) >= silentFor }

// setCut records whether the network is cut. If it is, it closes the connections.
func (l *link) setCut(cut bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cut = cut
	if !cut {
		return
	}

	for c := range l.conns {
		c.Conn.Close()
	}

	clear(l.conns)
}

// dial implements pgconn.DialFunc. A nil link dials without watching.
func (l *link) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := (&net.Dialer{KeepAliveConfig: keepAlive}).DialContext(ctx, network, address)
	if err != nil || l == nil {
		return c, err
	}

	linked := &linkedConn{c, l}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cut {
		return nil, errors.Join(errNoAnswer, c.Close())
	}

	l.conns[linked] = struct{}{}
	return linked, nil
}

func (l *link) close() error {
	if l == nil {
		return nil
	}
	l.stop()
	<-l.done
	return l.probe.Close()
}

// linkedConn is a connection that its link can close.
type linkedConn struct {
	net.Conn
	link *link
}

func (c *linkedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.link.lastRead.Store(time.Now().UnixNano())
	}
	return n, err
}

func (c *linkedConn) Close() error {
	c.link.mu.Lock()
	defer c.link.mu.Unlock()
	delete(c.link.conns, c)
	return c.Conn.Close()
}

// SyscallConn implements syscall.Conn.
func (c *linkedConn) SyscallConn() (syscall.RawConn, error) {
	return c.Conn.(syscall.Conn).SyscallConn()
}
