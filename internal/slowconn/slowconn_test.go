package slowconn

import (
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// halfPipe is a connection in memory that can be closed in one direction.
type halfPipe struct{ net.Conn }

func (halfPipe) CloseWrite() error { return nil }

func TestAPeerThatDoesNotStopSendingIsCutOff(t *testing.T) {
	for name, c := range map[string]struct {
		pause, after time.Duration
		bytes        int
	}{
		"a slow one": {pause: time.Second, after: unreadTime, bytes: 1 << 20},
		"a fast one": {after: 0, bytes: unreadBytes},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ours, peer := net.Pipe()
				if err := (&conn{Conn: halfPipe{ours}}).Close(); err != nil {
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
