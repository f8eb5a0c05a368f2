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

// How often PostgreSQL is asked whether it answers, and how long it may take.
const (
	watchInterval = time.Second
	watchTimeout  = 5 * time.Second
	silentFor     = 2 * time.Second // all connections, before they are closed
)

// errNoAnswer says why no connection is made.
var errNoAnswer = errors.New("the database does not answer: the network may be cut")

// link has the connections of a DB to PostgreSQL. When the network is cut, statements would wait for
// minutes until the system gives their connections up; link closes these as soon as a connection of its
// own gets no answer and the others are silent, and makes no others until it does.
type link struct {
	asked *sql.DB
	heard atomic.Int64 // when PostgreSQL last said something on one of conns
	stop  context.CancelFunc
	over  chan struct{}

	mu    sync.Mutex
	cut   bool
	conns map[*linkedConn]struct{}
}

// newLink starts to watch. Call close in the end.
func newLink(dsn string) (*link, error) {
	asked, err := postgresPool(dsn, 1, nil)
	if err != nil {
		return nil, err
	}

	ctx, stop := context.WithCancel(context.Background())
	l := &link{
		asked: asked.DB,
		stop:  stop,
		over:  make(chan struct{}),
		conns: map[*linkedConn]struct{}{},
	}
	go l.watch(ctx)
	return l, nil
}

func (l *link) watch(ctx context.Context) {
	defer close(l.over)
	tick := time.NewTicker(watchInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asking, cancel := context.WithTimeout(ctx, watchTimeout)
		_, err := l.asked.ExecContext(asking, `SELECT 1`)
		late := asking.Err() != nil && err != nil && ctx.Err() == nil
		l.set(late && l.silent())
		cancel()
	}
}

// silent reports whether no connection has heard of PostgreSQL lately. One that has too much to do lets
// the question wait, as a pooler before it does, and yet answers others.
func (l *link) silent() bool { return time.Since(time.Unix(0, l.heard.Load())) >= silentFor }

// set notes whether the network is cut, and closes the connections if it is.
func (l *link) set(cut bool) {
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

// dial is a pgconn.DialFunc.
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
	<-l.over
	return l.asked.Close()
}

// linkedConn is a connection that its link can close.
type linkedConn struct {
	net.Conn
	link *link
}

func (c *linkedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.link.heard.Store(time.Now().UnixNano())
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
