package slowconn

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// halfPipe is a connection in memory that can be closed in one direction.
type halfPipe struct{ net.Conn }

func (halfPipe) CloseWrite() error { return nil }

// accepted returns what accepts connections in memory.
func accepted(t *testing.T, conns ...net.Conn) func() net.Conn {
	l := NewListener(&listOf{conns: conns})
	return func() net.Conn {
		c, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// listOf is a listener of connections that are there already.
type listOf struct {
	net.Listener
	conns []net.Conn
}

func (l *listOf) Accept() (net.Conn, error) {
	c := l.conns[0]
	l.conns = l.conns[1:]
	return halfPipe{c}, nil
}

// TestPeersThatDoNotStopSendingShareARate has peers send faster together than may be taken from all. Each
// was taken from as fast as it sent, which left no time for others.
func TestPeersThatDoNotStopSendingShareARate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const peers = 20
		var ours, theirs [peers]net.Conn
		for i := range peers {
			ours[i], theirs[i] = net.Pipe()
		}
		next := accepted(t, ours[:]...)
		var sent atomic.Int64
		var all sync.WaitGroup
		begun := time.Now()
		for _, peer := range theirs {
			next().Close()
			all.Go(func() {
				for piece := make([]byte, 1<<20); ; {
					n, err := peer.Write(piece)
					sent.Add(int64(n))
					if err != nil {
						return
					}
				}
			})
		}
		all.Wait()
		took, most := time.Since(begun), int64(unreadRate)*int64(1+unreadTime/time.Second)+peers*Piece
		if took > unreadTime || sent.Load() > most {
			t.Errorf("took %d bytes in %v, want at most %d in %v", sent.Load(), took, most, unreadTime)
		}
	})
}

func TestAPeerThatDoesNotStopSendingIsCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		pause, after time.Duration
		bytes        int
	}{
		"a slow one": {pause: time.Second, after: unreadTime, bytes: 1 << 20},
		"a fast one": {after: (unreadBytes - unreadRate) / unreadRate * time.Second, bytes: unreadBytes},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, peer := net.Pipe()
				if err := accepted(t, ours)().Close(); err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				sent, err := 0, error(nil)
				for piece := make([]byte, 32<<10); err == nil && sent <= 2*unreadBytes; time.Sleep(c.pause) {
					var n int
					n, err = peer.Write(piece)
					sent += n
				}
				took := time.Since(begun) // with the pause after the error
				if err == nil || sent > c.bytes || took < c.after || took > c.after+3*c.pause {
					t.Errorf("got %v after %d bytes and %v, want an end after %v", err, sent, took, c.after)
				}
			})
		})
	}
}

// TestPeersThatSendOnAreFew closes connections, whose peers do not stop sending, more than are waited for.
func TestPeersThatSendOnAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ours, theirs [unreadConns + 1]net.Conn
		for i := range ours {
			ours[i], theirs[i] = net.Pipe()
		}
		next := accepted(t, ours[:]...)
		for range ours {
			next().Close()
		}
		begun := time.Now()
		if _, err := theirs[unreadConns].Write([]byte("more")); err == nil || time.Since(begun) > 0 {
			t.Errorf("one peer too many: got %v after %v, want that it is closed at once", err, time.Since(begun))
		}
		if _, err := theirs[0].Write([]byte("more")); err != nil {
			t.Errorf("the first peer: %v", err)
		}
		for _, peer := range theirs {
			peer.Close()
		}
	})
}
